// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

/// Why the file of a value cannot be read.
enum Unreadable: CaseIterable {
    case folder, linkLoop, disk

    /// Puts something in the place of a file.
    func replace(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        switch self {
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .linkLoop: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        // No memory is at the address 0, so the kernel cannot read the first byte: EIO, as of a disk.
        case .disk:
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/proc/self/mem")
        }
    }

    var text: String {
        switch self {
        case .folder: "is not a regular file"
        case .linkLoop: "Too many levels of symbolic links"
        case .disk: "the disk cannot read it"
        }
    }
}

@Suite("An outbox with damaged records", .timeLimit(.minutes(10)))
struct OutboxDamageTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    @Test(
        "One damaged byte of a record: the record is listed, the others are sent, and changes are added",
        arguments: StorageKind.onDisk
    )
    func record(kind: StorageKind) async throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        for round in 0..<OutboxTest.count(200) {
            let name = "round\(round)"
            var storage = kind.make(folder)
            let outbox = try Outbox(name, in: storage)
            var changes: [PendingChange] = []
            for number in 0..<4 {
                changes.append(try await outbox.append("x", Data([UInt8(number)]), key: "\(number)"))
            }
            let index = random.index(below: 4)
            let key = OutboxKeys(name)[UInt64(index) + 1, changes[index].id]
            await storage.end()
            try kind.damage(key, in: folder, &random)
            storage = kind.make(folder)
            let errors = try await checkSent(name, storage, damaged: key, changes.filter { $0 != changes[index] })
            #expect(errors.first?.contains(kind.path(folder)) == true, "\(errors)")
            await storage.end()
        }
    }

    private func checkSent(
        _ name: String,
        _ storage: any KeyValueStorage,
        damaged: StorageKey,
        _ changes: [PendingChange]
    ) async throws -> [String] {
        let outbox = try Outbox(name, in: storage)
        let sent = Lock<Set<UUID>>([])
        let errors = Lock<[any Error]>([])
        let engine = try SyncEngine(outbox) { error in
            errors.withLock { $0.append(error) }
        } send: { change in
            sent.withLock { _ = $0.insert(change.id) }
            return .accepted
        }
        try await engine.start()
        #expect(try await outbox.unreadable == [damaged])
        let added = try await outbox.append("x", Data())
        for await status in outbox.publisher.updates where status.pending == 0 { break }
        await engine.stop()
        #expect(sent.withLock { $0 } == Set(changes.map(\.id) + [added.id]))
        #expect(errors.withLock { $0.map { ErrorCode(of: $0) } } == ["AXIOM_OFFLINE_005"])
        #expect(try await storage.keys(prefix: "outbox/\(name)/") == [damaged], "it stays in the storage")
        return errors.withLock { $0.map { "\($0)" } }
    }

    @Test(
        "A record whose file cannot be read is listed with the reason, and the others are sent",
        arguments: Unreadable.allCases
    )
    func unreadableFile(_ reason: Unreadable) async throws {
        let storage = StorageKind.files.make(folder)
        let first = try Outbox("orders", in: storage)
        var changes: [PendingChange] = []
        for number in 0..<3 { changes.append(try await first.append("x", Data([UInt8(number)]), key: "\(number)")) }
        let key = OutboxKeys("orders")[2, changes[1].id]
        let path = "\(StorageKind.files.path(folder))/\(FileNames.name(key))"
        try reason.replace(path)
        let errors = try await checkSent("orders", storage, damaged: key, [changes[0], changes[2]])
        #expect(errors.first?.contains(path) == true && errors.first?.contains(reason.text) == true, "\(errors)")
        await storage.end()
    }

    @Test("A cached answer whose file cannot be read is no answer")
    func unreadableAnswer() async throws {
        let storage = StorageKind.files.make(folder)
        let cache = CapabilityCache<Int>(maximumAge: .seconds(3_600))
        cache.store(1)
        try await cache.save("prices", to: storage)
        try Unreadable.linkLoop.replace("\(StorageKind.files.path(folder))/prices.value")
        let next = CapabilityCache<Int>(maximumAge: .seconds(3_600))
        try await next.load("prices", from: storage)
        #expect(next.current == nil)
        try await cache.save("prices", to: storage)
        try await next.load("prices", from: storage)
        #expect(next.current?.0 == 1)
        await storage.end()
    }

    @Test("An error of the whole storage is thrown, also while records are read")
    func whole() async throws {
        let storage = CrashingStorage()
        try await Outbox("orders", in: storage).append("x", Data())
        storage.setReadable(false)
        await #expect(throws: OutboxTest.Refused.self) { try await Outbox("orders", in: storage).load() }
    }

    @Test(
        "A damaged answer of a capability is no answer, and is replaced by the next one",
        arguments: StorageKind.onDisk
    )
    func answer(kind: StorageKind) async throws {
        var random = SeededGenerator(seed: TestSeed.drawn())
        var storage = kind.make(folder)
        let cache = CapabilityCache<[String: Int]>(maximumAge: .seconds(3_600))
        cache.store(["cup": 1])
        try await cache.save("prices", to: storage)
        await storage.end()
        try kind.damage("prices", in: folder, &random)
        storage = kind.make(folder)
        let next = CapabilityCache<[String: Int]>(maximumAge: .seconds(3_600))
        try await next.load("prices", from: storage)
        #expect(next.current == nil)
        try await cache.save("prices", to: storage)
        try await next.load("prices", from: storage)
        #expect(next.current?.0 == ["cup": 1])
        await storage.end()
    }
}
