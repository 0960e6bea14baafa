// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite("Bulkhead", .timeLimit(.minutes(10)))
struct BulkheadTests {
    private let time = ManualTime()
    private let probe = Probe()

    private func bulkhead(_ limit: Int, queue: Int = 0, timeout: Duration? = nil) throws -> Bulkhead {
        try Bulkhead("test", clock: .manual(time)) {
            $0.limit = limit
            $0.queueLimit = queue
            $0.queueTimeout = timeout
        }
    }

    /// Waits for what another task is about to do, and has no event of its own.
    private func wait(_ bulkhead: Bulkhead, until holds: (BulkheadCounts) -> Bool) async {
        while !holds(bulkhead.counts) { await Task.yield() }
    }

    private static func isConserved(_ counts: BulkheadCounts) -> Bool {
        let settled = counts.admitted + counts.rejected + counts.cancelled
        return counts.offered == settled + counts.queueDepth && counts.admitted == counts.finished + counts.inUse
    }

    @Test("Beyond the limit and the queue, calls are refused and do not run")
    func full() async throws {
        let bulkhead = try bulkhead(2, queue: 1)
        let gate = Gate()
        let running = (0..<2).map { _ in Task { try await bulkhead.run { await gate.wait() } } }
        await gate.waitForArrivals(2)
        let queued = Task { try await bulkhead.run { await gate.wait() } }
        await wait(bulkhead) { $0.queueDepth == 1 }
        let error = await #expect(throws: BulkheadFullError.self) { try await bulkhead.run { probe.note(1) } }
        #expect(error?.policy == "test" && error?.reason == .queueFull && error?.limit == 2)
        #expect(probe.log.isEmpty && bulkhead.counts.rejectedFull == 1)
        gate.open()
        for call in running + [queued] { try await call.value }
        #expect(bulkhead.counts.inUse == 0 && bulkhead.counts.finished == 3)
    }

    @Test("Waiting calls are admitted in the order of arrival, except those that have left")
    func fifo() async throws {
        let bulkhead = try bulkhead(1, queue: 20)
        let gate = Gate()
        let holder = Task { try await bulkhead.run { await gate.wait() } }
        await gate.waitForArrivals(1)
        var calls: [Task<Void, any Error>] = []
        for number in 0..<20 {
            calls.append(Task { try await bulkhead.run { probe.note(number) } })
            await wait(bulkhead) { $0.queueDepth == number + 1 }
        }
        for number in [0, 7, 8, 19] { calls[number].cancel() }
        for number in [0, 7, 8, 19] {
            await #expect(throws: CancellationError.self) { try await calls[number].value }
        }
        calls.append(Task { try await bulkhead.run { probe.note(20) } })
        await wait(bulkhead) { $0.queueDepth == 17 }
        gate.open()
        try await holder.value
        for call in calls { _ = await call.result }
        #expect(probe.log == (0...20).filter { ![0, 7, 8, 19].contains($0) })
        #expect(bulkhead.counts.cancelled == 4 && bulkhead.counts.queueDepth == 0)
    }

    @Test("A new call is never admitted before waiting calls")
    func noOvertaking() async throws {
        let bulkhead = try bulkhead(1, queue: 2)
        let gates = [Gate(), Gate(), Gate()]
        var calls: [Task<Void, any Error>] = []
        for number in 0..<3 {
            calls.append(
                Task {
                    try await bulkhead.run {
                        probe.note(number)
                        await gates[number].wait()
                    }
                }
            )
            await wait(bulkhead) { $0.offered == number + 1 }
        }
        await gates[0].waitForArrivals(1)
        gates[0].open()
        await gates[1].waitForArrivals(1)
        #expect(bulkhead.counts.inUse == 1 && bulkhead.counts.queueDepth == 1)
        gates[1].open()
        gates[2].open()
        for call in calls { try await call.value }
        #expect(probe.log == [0, 1, 2])
    }

    @Test(
        "Who has waited to the limit is refused, even when a place becomes free at that instant",
        arguments: [999, 1_000]
    )
    func queueTimeout(_ nanoseconds: Int) async throws {
        let bulkhead = try bulkhead(1, queue: 1, timeout: .nanoseconds(1_000))
        let (gate, checked) = (Gate(), Gate())
        let holder = Task {
            try await bulkhead.run {
                await gate.wait()
                // Time moves and the place becomes free with no suspension between: the clock decides, not the timer.
                time.advance(by: .nanoseconds(nanoseconds))
            }
        }
        await gate.waitForArrivals(1)
        let waiter = Task { try await bulkhead.run { checked.open() } }
        await time.waitForSleepers(1)
        gate.open()
        try await holder.value
        let result = await waiter.result
        if nanoseconds < 1_000 {
            try result.get()
        } else {
            let error = #expect(throws: BulkheadFullError.self) { try result.get() }
            #expect(error?.reason == .waitedTooLong)
        }
        #expect(bulkhead.counts.rejectedLate == (nanoseconds < 1_000 ? 0 : 1))
        #expect(Self.isConserved(bulkhead.counts) && bulkhead.counts.inUse == 0 && time.sleeperCount == 0)
    }

    @Test("A timer that comes first refuses the call while the place is still taken")
    func queueTimer() async throws {
        let bulkhead = try bulkhead(1, queue: 1, timeout: .seconds(1))
        let gate = Gate()
        let holder = Task { try await bulkhead.run { await gate.wait() } }
        await gate.waitForArrivals(1)
        let waiter = Task { try await bulkhead.run {} }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        await #expect(throws: BulkheadFullError.self) { try await waiter.value }
        #expect(bulkhead.counts.inUse == 1 && bulkhead.counts.queueDepth == 0)
        gate.open()
        try await holder.value
    }

    @Test("Cancelled, failed and late calls return their slots, and the limit holds at every instant")
    func conservation() async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let limit = Int.random(in: 1...4, using: &generator)
            let queue = Int.random(in: 0...5, using: &generator)
            let bulkhead = try bulkhead(
                limit,
                queue: queue,
                timeout: Bool.random(using: &generator) ? .nanoseconds(20) : nil
            )
            let probe = Probe()
            let calls = (0..<20).map { number in
                let (yields, fails) = (Int.random(in: 0...6, using: &generator), Bool.random(using: &generator))
                let priority = BulkheadPriority.allCases.randomElement(using: &generator)!
                return Task {
                    try await bulkhead.run(priority: priority) {
                        try await probe.track { _ in
                            #expect(Self.isConserved(bulkhead.counts), "seed \(seed)")
                            for _ in 0..<yields { await Task.yield() }
                            if fails { throw Failure(number: number) }
                        }
                    }
                }
            }
            for call in calls.shuffled(using: &generator) {
                if Bool.random(using: &generator) { call.cancel() }
                time.advance(by: .nanoseconds(Int.random(in: 0...5, using: &generator)))
                await Task.yield()
                #expect(Self.isConserved(bulkhead.counts) && bulkhead.counts.queueDepth <= queue, "seed \(seed)")
            }
            time.advance(by: .seconds(1))
            for call in calls { _ = await call.result }
            let counts = bulkhead.counts
            #expect(counts.offered == 20 && counts.inUse == 0 && counts.queueDepth == 0, "seed \(seed)")
            #expect(Self.isConserved(counts) && counts.admitted == probe.calls, "seed \(seed)")
            #expect(probe.mostRunning <= limit && probe.running == 0 && time.sleeperCount == 0, "seed \(seed)")
        }
    }

    @Test("Settings out of range are refused with their name")
    func invalid() {
        #expect(throws: ResilienceError.self) { try Bulkhead("") }
        #expect(throws: ResilienceError.self) { try Bulkhead("b") { $0.limit = 0 } }
        #expect(throws: ResilienceError.self) { try Bulkhead("b") { $0.queueLimit = -1 } }
        #expect(throws: ResilienceError.self) { try Bulkhead("b") { $0.queueTimeout = .zero } }
    }
}
