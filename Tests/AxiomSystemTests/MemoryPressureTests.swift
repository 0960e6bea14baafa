// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomSystem

@Suite("Texts of pressure stall information")
struct PressureTextTests {
    static let recorded = """
        some avg10=7.53 avg60=2.11 avg300=0.52 total=160734221
        full avg10=5.04 avg60=1.08 avg300=0.25 total=93243088

        """

    @Test("A recorded text is read, also one of an old kernel without the second line")
    func recorded() {
        #expect(PressureAverages(Self.recorded) == PressureAverages(some: 0.0753, full: 0.0504))
        #expect(
            PressureAverages("some avg10=100.00 avg60=0.00 avg300=0.00 total=0") == PressureAverages(some: 1, full: 0)
        )
    }

    @Test("A text that is cut off gives the right averages or none")
    func truncated() {
        for length in 0..<Self.recorded.utf8.count {
            let text = String(Self.recorded.prefix(length))
            guard let averages = PressureAverages(text) else { continue }
            #expect(averages.some == 0.0753 && [0, 0.0504].contains(averages.full), "\(text)")
        }
    }

    @Test(
        "Hostile texts are refused",
        arguments: [
            "", "\n\n", "some", "some avg10", "some avg10= x", "some avg10=nan x", "some avg10=inf x",
            "some avg10=-1 x",
            "some avg10=100.01 x", "some avg10=0x10 x", "some avg10=1e1 x", "some avg10=1.2.3 x", "full avg10=1.00 x",
            "some avg60=1.00 avg10=1.00", "some avg10=1 x\nsome avg10=2 x", "some avg10=1 x\nfull avg10=x x",
            "some avg10=000000001 x", "some\tavg10=1.00\tx", "some avg10=\u{0661} x",
            String(repeating: "\n some", count: 100_000),
        ]
    )
    func hostile(text: String) {
        #expect(PressureAverages(text) == nil)
    }

    @Test("Counters of a cgroup are read; unknown ones are ignored, others than numbers refused")
    func counters() {
        let text = "low 0\nhigh 12\nmax 3\noom 1\noom_kill 1\noom_group_kill 0\nsock_throttled 9\n"
        #expect(MemoryEvents(text) == MemoryEvents(high: 12, limit: 5))
        #expect(MemoryEvents("") == nil)
        #expect(MemoryEvents("low 0") == nil)
        #expect(MemoryEvents("high -1") == nil)
        #expect(MemoryEvents("high 1 2") == nil)
        #expect(MemoryEvents("high 99999999999999999999") == nil)
        let largest = "max \(UInt64.max)\noom \(UInt64.max)"
        #expect(MemoryEvents(largest) != nil)
    }
}

@Suite("Levels of memory pressure")
struct MemoryPressureMachineTests {
    private static func machine() -> MemoryPressureMachine {
        MemoryPressureMachine(warning: 0.1, critical: 0.1, hold: .seconds(10))
    }

    private func at(_ seconds: Int) -> Instant { Instant(nanoseconds: Int64(seconds) * 1_000_000_000) }

    @Test("A trigger raises the level at once, and it is held")
    func trigger() {
        var machine = Self.machine()
        let calm = PressureAverages(some: 0, full: 0)
        #expect(machine.take(calm, at: at(0)) == .pressure(.memory, .none))
        #expect(machine.raise(.warning, at: at(1)) == .pressure(.memory, .warning))
        #expect(machine.raise(.critical, at: at(2)) == .pressure(.memory, .critical))
        #expect(machine.raise(.warning, at: at(5)) == nil)
        #expect(machine.take(calm, at: at(11)) == nil)
        #expect(machine.take(calm, at: at(12)) == .pressure(.memory, .warning))
        #expect(machine.take(calm, at: at(15)) == .pressure(.memory, .none))
    }

    @Test("Averages end a level below half of its threshold")
    func averages() {
        var machine = Self.machine()
        #expect(machine.take(PressureAverages(some: 0.1, full: 0), at: at(0)) == .pressure(.memory, .warning))
        #expect(machine.take(PressureAverages(some: 0.3, full: 0.1), at: at(10)) == .pressure(.memory, .critical))
        #expect(machine.take(PressureAverages(some: 0.09, full: 0.06), at: at(30)) == nil)
        #expect(machine.take(PressureAverages(some: 0.09, full: 0.05), at: at(40)) == .pressure(.memory, .warning))
        #expect(machine.take(PressureAverages(some: 0.05, full: 0.05), at: at(50)) == .pressure(.memory, .none))
    }

    @Test("Counters that rise raise the level; those of a new cgroup do not")
    func counters() {
        var machine = Self.machine()
        #expect(machine.take(MemoryEvents(high: 5, limit: 5), at: at(0)) == nil)
        #expect(machine.take(MemoryEvents(high: 6, limit: 5), at: at(1)) == .pressure(.memory, .warning))
        #expect(machine.take(MemoryEvents(high: 0, limit: 0), at: at(2)) == nil)
        #expect(machine.take(MemoryEvents(high: 1, limit: 1), at: at(3)) == .pressure(.memory, .critical))
    }

    @Test("In any history no event repeats, and no level ends before its time or above half of its threshold")
    func property() {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<2_000 {
            var machine = Self.machine()
            var (history, now, raised) = (EventHistory(), 0, -100)
            for _ in 0..<60 {
                now += Int.random(in: 0...6, using: &random)
                let before = machine.level
                let averages = PressureAverages(
                    some: Double.random(in: 0...0.2, using: &random),
                    full: Double.random(in: 0...0.2, using: &random)
                )
                switch Int.random(in: 0..<4, using: &random) {
                case 0: history.take(machine.raise(.warning, at: at(now)))
                case 1: history.take(machine.raise(.critical, at: at(now)))
                default:
                    history.take(machine.take(averages, at: at(now)))
                    if machine.level < before {
                        let isCritical = before == .critical
                        #expect(isCritical ? averages.full <= 0.05 : averages.some <= 0.05)
                        #expect(isCritical || now >= raised + 10)
                    }
                }
                if machine.level > before { raised = now }
                if let last = history.events.last { #expect(last == .pressure(.memory, machine.level)) }
            }
            #expect(history.repetitions == 0)
        }
    }
}

@Suite("Memory pressure of a kernel or a recorded tree", .timeLimit(.minutes(10)))
struct MemoryPressureSourceTests {
    @Test(
        "The kernel takes the triggers, the first event is the state, and no false event follows (MEM-02)",
        .enabled(if: ExternalTool.pressure.isThere, "\(ExternalTool.pressure.installation)")
    )
    func kernel() async throws {
        // Shares that no test reaches, so that the machine's other work does not matter.
        let time = ManualTime()
        let source = try MemoryPressureSource(warning: 1, critical: 1, clock: .manual(time))
        #expect(try await source.method() == .triggers)
        let (events, continuation) = AsyncStream.makeStream(of: CapabilityEvent.self)
        let task = Task {
            for try await event in source.events() { continuation.yield(event) }
            continuation.finish()
        }
        var seen: [CapabilityEvent] = []
        for await event in events {
            seen.append(event)
            // With triggers and no pressure nothing wakes the source, so nothing sleeps on the clock.
            #expect(time.sleeperCount == 0)
            task.cancel()
        }
        try await task.value
        #expect(seen == [.pressure(.memory, .none)])
    }

    @Test("The line of a trigger ends with the zero byte that the kernel expects, and has a window of 2 s")
    func trigger() {
        #expect(MemoryPressureFiles.trigger("some", 0.075) == Array("some 150000 2000000\0".utf8))
        #expect(MemoryPressureFiles.trigger("full", 1) == Array("full 2000000 2000000\0".utf8))
    }

    @Test("Without triggers averages are read by the period, and the method says why")
    func averages() async throws {
        let (tree, time) = (try Tree(), ManualTime())
        try tree.write("pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        let source = try MemoryPressureSource(root: tree.path, period: .seconds(10), clock: .manual(time))
        guard case .averages(let reason) = try await source.method() else {
            Issue.record("A file on a disk takes no triggers")
            return
        }
        #expect(reason.contains("pressure/memory"))
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.memory, .none))
        try tree.write("pressure/memory", PressureTextTests.recorded)
        #expect(try await events.next(after: .seconds(10), of: time) == .pressure(.memory, .critical))
        try tree.write("pressure/memory", "some avg10=4.00 avg60=0.00 avg300=0.00 total=0\n")
        #expect(try await events.next(after: .seconds(10), of: time) == .pressure(.memory, .warning))
    }

    @Test("A cgroup that reaches its limit is under critical pressure")
    func cgroup() async throws {
        let (tree, time) = (try Tree(), ManualTime())
        try tree.write("memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
        try tree.write("memory.events", "low 0\nhigh 0\nmax 7\noom 0\noom_kill 0\n")
        let source = try MemoryPressureSource(cgroup: tree.path, period: .seconds(10), clock: .manual(time))
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.memory, .none))
        try tree.write("memory.events", "low 0\nhigh 0\nmax 8\noom 0\noom_kill 0\n")
        #expect(try await events.next(after: .seconds(10), of: time) == .pressure(.memory, .critical))
    }

    @Test("A kernel without pressure stall information, or nonsense in its place, is an error at the begin")
    func missing() async throws {
        let tree = try Tree()
        let source = try MemoryPressureSource(root: tree.path)
        var error = await #expect(throws: CapabilityError.self) { for try await _ in source.events() {} }
        #expect(error?.code == .capabilitySourceUnavailable)
        try tree.write("pressure/memory", "nothing to see\n")
        error = await #expect(throws: CapabilityError.self) { for try await _ in source.events() {} }
        #expect(error?.code == .capabilitySourceUnavailable)
    }

    @Test("A file that disappears ends the sequence after three readings")
    func disappearing() async throws {
        let (tree, time) = (try Tree(), ManualTime())
        try tree.write("pressure/memory", PressureTextTests.recorded)
        let source = try MemoryPressureSource(root: tree.path, period: .seconds(1), clock: .manual(time))
        var events = source.events().makeAsyncIterator()
        #expect(try await events.next() == .pressure(.memory, .critical))
        try tree.remove("pressure")
        let advancing = Task {
            for _ in 0..<3 {
                await time.waitForSleepers(1)
                time.advance(by: .seconds(1))
            }
        }
        let error = await #expect(throws: CapabilityError.self) { try await events.next() }
        #expect(error?.code == .capabilitySourceStopped)
        await advancing.value
    }
}
