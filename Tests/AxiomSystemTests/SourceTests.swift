// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomSystem

@Suite("What all sources share")
struct SourceTests {
    @Test("A parameter outside its range is refused, with its name and range")
    func parameters() {
        func expect(_ name: String, _ range: String, _ make: () throws -> Void) {
            let error = #expect(throws: CapabilityError.self) { try make() }
            #expect(error?.code == .capabilitySourceInvalid)
            #expect(
                error?.message.hasPrefix("\(name) is ") == true && error?.message.contains(range) == true,
                "\(error as Any)"
            )
        }
        expect("period", "0.1 seconds to 86400.0 seconds") { _ = try DiskSpaceSource("/", period: .zero) }
        expect("period", "0.1 seconds") { _ = try ThermalSource(period: .seconds(86_401)) }
        expect("period", "0.1 seconds") { _ = try FilePermissionSource("/", period: .milliseconds(99)) }
        expect("path", "an absolute path") { _ = try DiskSpaceSource("data") }
        expect("path", "an absolute path") { _ = try FilePermissionSource("/a\0b") }
        expect("path", "4095 bytes") { _ = try FilePermissionSource(String(repeating: "/a", count: 2_048)) }
        expect("root", "an absolute path") { _ = try MemoryPressureSource(root: "") }
        expect("cgroup", "an absolute path") { _ = try MemoryPressureSource(cgroup: "../x") }
        expect("warning", "0.01 to 1.0") { _ = try MemoryPressureSource(warning: .nan) }
        expect("critical", "0.01 to 1.0") { _ = try MemoryPressureSource(critical: 1.01) }
        expect("warning", "0.0 to 1.0") { _ = try DiskSpaceSource("/", warning: .share(-0.1)) }
        expect("critical", "0.0 to 0.1") { _ = try DiskSpaceSource("/", critical: .share(0.2)) }
        expect("critical", "0 to 5") { _ = try DiskSpaceSource("/", warning: .bytes(5), critical: .bytes(6)) }
        expect("hysteresis", "0.0 to 0.5") { _ = try DiskSpaceSource("/", hysteresis: .infinity) }
        expect("hysteresis", "0.0 to 20.0") { _ = try ThermalSource(hysteresis: -1) }
        expect("critical", "1.0 to 20.0") { _ = try PowerSource(critical: 21) }
        expect("warning", "1.0 to 99.0") { _ = try PowerSource(warning: 100) }
    }

    @Test(
        "1,000 listeners that begin and are cancelled leave no descriptor and no thread behind",
        .timeLimit(.minutes(10)),
        arguments: [["network"], ["files", "/tmp/x/y", "read"], ["disk", "/", "2", "1"], ["memory"]]
    )
    func cycles(source: [String]) async throws {
        let probe = try BuildFolder().url.appending(path: "system-probe")
        let result = try await Command.run(probe.path, ["cycles"] + source + ["1000"])
        let words = result.output.split { " \n".contains($0) }
        try #require(words.count == 3 && words.first == "descriptors", "\(result)")
        let (before, after) = (try #require(Int(words[1])), try #require(Int(words[2])))
        // The runtime may hold a file for a moment when the first number is read.
        #expect(after <= before, "\(before) descriptors before, \(after) after")
    }

    @Test("The example of the documentation is the one that is compiled here")
    func documentation() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/capabilities-linux.md").split(separator: "```swift\n")
        let example = try #require(page.last?.split(separator: "```").first)
        #expect(try text("Tests/AxiomSystemTests/Support/DocumentationExample.swift").hasSuffix(example))
    }

    @Test("Each sequence is independent, and nothing runs before the first next()", .timeLimit(.minutes(10)))
    func independence() async throws {
        let reads = Lock(0)
        let source = try DiskSpaceSource(
            "/",
            warning: .share(0.1),
            critical: .share(0.05),
            hysteresis: 0,
            period: .seconds(1),
            clock: .live
        ).reading { _ in
            reads.withLock { $0 += 1 }
            return DiskSpace(bytes: 100, freeBytes: 50)
        }
        let sequence = source.events()
        var (first, second) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
        #expect(reads.withLock { $0 } == 0)
        #expect(try await first.next() == .pressure(.storage, .none))
        #expect(try await second.next() == .pressure(.storage, .none))
        #expect(reads.withLock { $0 } == 2)
    }

    @Test("A reading that hangs does not keep a cancelled listener", .timeLimit(.minutes(10)))
    func hangingReading() async throws {
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        let source = try DiskSpaceSource(
            "/",
            warning: .share(0.1),
            critical: .share(0.05),
            hysteresis: 0,
            period: .seconds(1),
            clock: .live
        ).reading { _ in
            continuation.finish()
            end.wait()
            return DiskSpace(bytes: 100, freeBytes: 50)
        }
        let task = Task { try await source.events().first { _ in true } }
        for await _ in begun {}
        task.cancel()
        #expect(try await task.value == nil)
        end.signal()
    }

    @Test("A raised flag is never lost, whether the raise or the wait comes first", .timeLimit(.minutes(10)))
    func flags() async throws {
        let flags = ReadyFlags()
        for index in 0..<2_000 {
            async let raised: Void = Task.detached { flags.raise(1 << UInt32(index % 8)) }.value
            try await flags.wait(until: nil, on: .live)
            #expect(flags.take() == 1 << UInt32(index % 8))
            await raised
        }
    }

    @Test("A wait for a flag ends at its deadline, and when its task is cancelled", .timeLimit(.minutes(10)))
    func waits() async throws {
        let (flags, time) = (ReadyFlags(), ManualTime())
        async let advanced: Void = Self.advance(time)
        try await flags.wait(until: time.now.advanced(by: .seconds(1)), on: .manual(time))
        await advanced
        #expect(flags.take() == 0)
        for isEarly in [true, false] {
            let task = Task { try await flags.wait() }
            if !isEarly { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    private static func advance(_ time: ManualTime) async {
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
    }
}
