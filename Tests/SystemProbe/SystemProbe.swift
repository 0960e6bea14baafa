// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomSystem
internal import Foundation

/// Prints the events of a source, one a line, for tests in which another user, or another network, is needed.
///
///     system-probe network
///     system-probe files PATH read|write|readWrite
///     system-probe disk PATH BYTES BYTES
///     system-probe memory [CGROUP]
///     system-probe cycles SOURCE PATH COUNT
@main
enum SystemProbe {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let name = words.first else { return }
        if name == "cycles" { return try await cycles(words) }
        guard let source = try source(words[...]) else { return say("unknown \(name)") }
        do {
            try await listen(source)
        } catch {
            say("\(error)")
        }
    }

    private static func source(_ words: ArraySlice<String>) throws -> (any ChangeSource)? {
        let words = Array(words)
        let path = words.count > 1 ? words[1] : "/"
        switch words.first {
        case "network": return NetworkLinkSource()
        case "files":
            let access = FilePermissionSource.Access.allCases.first { "\($0)" == words.last }
            return try FilePermissionSource(path, access: access ?? .readWrite, period: .seconds(3_600))
        case "disk":
            let limits = words.dropFirst(2).compactMap { Int64($0) } + [0, 0]
            return try DiskSpaceSource(
                path,
                warning: .bytes(limits[0]),
                critical: .bytes(limits[1]),
                hysteresis: 0.05,
                period: .milliseconds(100)
            )
        case "memory": return try words.count > 1 ? MemoryPressureSource(cgroup: path) : MemoryPressureSource()
        default: return nil
        }
    }

    private static func listen(_ source: some ChangeSource) async throws {
        for try await event in source.events() { say(text(event)) }
    }

    private static func text(_ event: CapabilityEvent) -> String {
        switch event {
        case .permission(let permission, let status): "\(permission) \(status)"
        case .service(let service, let isUp, let reason): "\(service) \(isUp ? "up" : "down"): \(reason)"
        case .pressure(let resource, let level): "\(resource) \(level)"
        }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

// Leaks.
extension SystemProbe {
    /// Begins to listen and cancels, many times, and prints the open descriptors before and after.
    private static func cycles(_ words: [String]) async throws {
        guard let count = words.last.flatMap({ Int($0) }), let source = try source(words.dropFirst().dropLast()) else {
            return
        }
        // The runtime opens the descriptors that it keeps when the first timer is set.
        try await Task.sleep(for: .milliseconds(1))
        let before = descriptors().count
        for index in 0..<count { try await cycle(source, isCancelledAtOnce: index % 2 == 0) }
        say("descriptors \(before) \(await descriptorsAtRest(before))")
    }

    /// The number of open descriptors as soon as there are no more than `expected`, or after a minute.
    ///
    /// The thread of the event loop closes descriptors after the listener has returned; nothing reports its end.
    private static func descriptorsAtRest(_ expected: Int) async -> Int {
        for _ in 0..<6_000 where descriptors().count > expected { try? await Task.sleep(for: .milliseconds(10)) }
        return descriptors().count
    }

    /// The targets of the open descriptors, without the timers of the runtime, which come and go.
    private static func descriptors() -> [String] {
        let files = FileManager.default
        let numbers = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.compactMap { try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { $0 != "anon_inode:[timerfd]" }
    }

    private static func cycle(_ source: some ChangeSource, isCancelledAtOnce: Bool) async throws {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            defer { continuation.finish() }
            for try await _ in source.events() { continuation.finish() }
        }
        if !isCancelledAtOnce { for await _ in begun {} }
        task.cancel()
        try await task.value
    }
}
