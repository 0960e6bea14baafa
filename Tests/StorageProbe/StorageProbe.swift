// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomStorage
internal import Foundation

/// Uses a storage, for tests that kill a process, that limit its files, or that need another user.
///
///     storage-probe write files|sqlite PATH          changes it until it is killed, and prints what is stored
///     storage-probe fill files|sqlite PATH [BYTES]   stores values until one fails; BYTES limits the size of each file
///     storage-probe try files|sqlite PATH            opens it, reads a value, and stores one and several
///     storage-probe store files|sqlite PATH          opens it, reads a value, and stores a large one and that
///     storage-probe aside files|sqlite PATH          moves the bytes of a key that "store" made to another key
///     storage-probe append files|sqlite PATH         appends three changes to an outbox
///     storage-probe send files|sqlite PATH           sends the changes of that outbox, and prints their numbers
///     storage-probe clock - -                        prints the seconds of the clock that ages are measured with
///     storage-probe hold files|sqlite PATH           opens it, and keeps it until the standard input ends
@main
enum StorageProbe {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "clock" { return say("\(TimeSource.live.now.seconds(since: Instant(nanoseconds: 0)))") }
        guard words.count >= 3, let storage = storage(words[1], words[2]) else { return say("unknown arguments") }
        do {
            switch words[0] {
            case "write": try await write(storage)
            case "fill":
                let limit = words.dropFirst(3).first.flatMap { UInt($0) }
                try await fill(storage, limit: limit, ballast: "\(words[2]).ballast")
            case "try": try await use(storage)
            case "store":
                say("found \(try await storage.load(Int.self, "number") ?? 0)")
                try await storage.transaction([
                    .put("number", Data("7".utf8)), .put("large", Data(repeating: 1, count: 100_000)),
                ])
                say("stored")
            case "aside":
                try await storage.moveAside("number", to: "number.unreadable-1")
                say("moved")
            case "append":
                let outbox = try Outbox("orders", in: storage)
                for number in 1...3 { try await outbox.append("x", Data([UInt8(number)]), key: "\(number)") }
                say("appended")
            case "send": try await send(try Outbox("orders", in: storage))
            case "hold":
                try await storage.save(1, "held")
                say("open")
                _ = FileHandle.standardInput.availableData
            default: say("unknown arguments")
            }
        } catch {
            say("\(ErrorCode(of: error).rawValue) \(error)")
        }
    }

    private static func storage(_ kind: String, _ path: String) -> (any KeyValueStorage)? {
        let options = StorageOptions(lockTimeout: .milliseconds(100))
        return switch kind {
        case "files": FileStorage(folder: path, options: options)
        case "sqlite": SQLiteStorage(path: path, options: options)
        default: nil
        }
    }

    /// Written without a buffer, and only when the change has to outlive the process.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = Foundation.write(STDOUT_FILENO, bytes, bytes.count)
    }

    private static func use(_ storage: any KeyValueStorage) async throws {
        say("found \(try await storage.load(Int.self, "number") ?? 0)")
        try await storage.save(7, "other")
        try await storage.transaction([.put("left", Data([1])), .put("right", Data([2])), .remove("other")])
        say("stored")
    }
}

// The outbox.
extension StorageProbe {
    /// Sends all changes but none twice.
    private static func send(_ outbox: Outbox) async throws {
        let sent = Lock<[UInt8]>([])
        let engine = try SyncEngine(outbox) { error in
            say("\(ErrorCode(of: error).rawValue) \(error)")
        } send: { change in
            sent.withLock { $0.append(change.payload.first ?? 0) }
            return .accepted
        }
        try await engine.start()
        for await status in outbox.updates where status.pending == 0 { break }
        await engine.stop()
        say("sent " + sent.withLock { $0.sorted().map { "\($0)" }.joined(separator: " ") })
    }
}

// The killed process.
extension StorageProbe {
    private static func write(_ storage: any KeyValueStorage) async throws {
        var generation = try await storage.load(Int.self, "generation") ?? 0
        let single = try await storage.load(Int.self, "single/generation") ?? 0
        generation = max(generation, single)
        say("\(generation)")
        while true {
            generation += 1
            try await storage.transaction(changes(generation))
            say("\(generation)")
        }
    }

    /// The test knows the contents of each generation. Every third one changes one key, the others several.
    private static func changes(_ generation: Int) -> [StorageChange] {
        let number = Data("\(generation)".utf8)
        guard generation % 3 != 0 else { return [.put("single/generation", number)] }
        let long = StorageKey(String(repeating: "Long/", count: 60))
        return [
            .put("generation", number),
            .put(long, bytes(generation, 2_000 + generation % 7 * 3_000)),
            .put("constant", bytes(generation, 100)),
            generation % 2 == 0 ? .remove("sometimes") : .put("sometimes", bytes(generation, 5_000)),
        ]
    }

    private static func bytes(_ generation: Int, _ count: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: generation), count: count)
    }
}

// The full disk.
extension StorageProbe {
    /// Stores values until one fails, alone and several at once. Then checks that what was stored is there, frees some
    /// space, removes the values, and stores one again.
    private static func fill(_ storage: any KeyValueStorage, limit: UInt?, ballast: String) async throws {
        if let limit {
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
            #else
            setrlimit(RLIMIT_FSIZE, &limits)
            #endif
        }
        var stored = 0
        do {
            while stored < 1_000 {
                let size = limit == nil ? 20_000 : (stored + 1) * 20_000
                let keys = (0...stored % 3).map { StorageKey("value/\(stored)/\($0)") }
                try await storage.transaction(keys.map { .put($0, bytes(stored, size)) })
                stored += 1
            }
        } catch {
            say("\(ErrorCode(of: error).rawValue) \(error)")
        }
        let keys = try await storage.keys(prefix: "value/")
        let expected = (0..<stored).flatMap { index in (0...index % 3).map { StorageKey("value/\(index)/\($0)") } }
        var intact = 0
        for key in keys where try await storage.data(key) != nil { intact += 1 }
        say(Set(keys) == Set(expected) && intact == keys.count ? "intact" : "found \(keys.count) of \(expected.count)")
        unlink(ballast)
        for key in keys { try await storage.delete(key) }
        try await storage.save(1, "small")
        say("stored again")
    }
}
