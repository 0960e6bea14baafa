// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@Suite("Timeout", .timeLimit(.minutes(10)))
struct TimeoutTests {
    private let time = ManualTime()
    private let probe = Probe()
    private var clock: TimeSource { .manual(time) }

    private func timeout() throws -> Timeout {
        try Timeout("test", .nanoseconds(1_000), clock: clock)
    }

    @Test(
        "An operation that ends a nanosecond before the limit is in time, one at the limit is late",
        arguments: 998...1_002
    )
    func boundary(_ nanoseconds: Int) async throws {
        let timeout = try timeout()
        let call = Task {
            try await timeout.run { [time] in
                // It moves time itself and does not wait, so that the timer cannot come before it.
                time.advance(by: .nanoseconds(nanoseconds))
                return "done"
            }
        }
        if nanoseconds < 1_000 {
            #expect(try await call.value == "done")
        } else {
            let expected = TimeoutError(policy: "test", limit: .nanoseconds(1_000))
            await #expect(throws: expected) { try await call.value }
        }
        #expect(timeout.counts.calls == 1 && timeout.counts.timeouts == (nanoseconds < 1_000 ? 0 : 1))
        #expect(time.sleeperCount == 0)
    }

    @Test("The operation is cancelled at the limit and awaited: nothing of it runs when the error is thrown")
    func cancelledAndAwaited() async throws {
        let timeout = try timeout()
        let call = Task {
            try await timeout.run {
                try await probe.track { _ in try await clock.sleep(for: .seconds(1)) }
            }
        }
        await time.waitForSleepers(2)
        time.advance(by: .nanoseconds(1_000))
        await #expect(throws: TimeoutError.self) { try await call.value }
        #expect(probe.calls == 1 && probe.running == 0 && time.sleeperCount == 0)
    }

    @Test("An operation that ignores cancellation holds the call until it ends, and its late result is dropped")
    func ignoresCancellation() async throws {
        let timeout = try timeout()
        let gate = Gate()
        let call = Task {
            try await timeout.run {
                try await probe.track { _ in
                    await gate.wait()
                    probe.note(Task.isCancelled ? 1 : 0)
                    return "late"
                }
            }
        }
        await gate.waitForArrivals(1)
        await time.waitForSleepers(1)
        time.advance(by: .nanoseconds(1_000))
        #expect(probe.running == 1)
        gate.open()
        await #expect(throws: TimeoutError.self) { try await call.value }
        #expect(probe.running == 0 && timeout.counts.timeouts == 1)
    }

    @Test("A cancellation from outside is not a timeout, however long the operation then takes")
    func outerCancellation() async throws {
        let timeout = try timeout()
        let gate = Gate()
        let call = Task {
            try await timeout.run {
                await gate.wait()
                return Task.isCancelled
            }
        }
        await gate.waitForArrivals(1)
        await time.waitForSleepers(1)
        call.cancel()
        // The timer has left before the limit passes.
        while time.sleeperCount > 0 { await Task.yield() }
        time.advance(by: .seconds(1))
        gate.open()
        #expect(try await call.value)
        #expect(timeout.counts.timeouts == 0)
    }

    @Test("A cancellation from outside that comes before the limit wins, though the operation ends beyond the limit")
    func cancelledThenLate() async throws {
        let timeout = try timeout()
        let (gate, outer) = (Gate(), TaskBox())
        let call = Task { [time] in
            await gate.wait()
            return try await timeout.run {
                // Nothing suspends between the two, so that the timer has no turn to tell of the cancellation.
                outer.cancel()
                time.advance(by: .seconds(1))
                return "late"
            }
        }
        outer.hold(call)
        gate.open()
        #expect(try await call.value == "late")
        #expect(timeout.counts.timeouts == 0)
    }

    /// Lets an operation cancel the task that runs it.
    private final class TaskBox: Sendable {
        private let task = Lock<Task<String, any Error>?>(nil)
        func hold(_ task: Task<String, any Error>) { self.task.withLock { $0 = task } }
        func cancel() { task.withLock { $0 }?.cancel() }
    }

    @Test("A task that was cancelled before gets the operation's own answer")
    func cancelledBefore() async throws {
        let timeout = try timeout()
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await timeout.run { try Task.checkCancellation() }
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(timeout.counts.timeouts == 0 && time.sleeperCount == 0)
    }

    @Test("Whatever ends a call, and whenever, no operation and no timer is left behind")
    func noLeaks() async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<400 {
            let timeout = try timeout()
            let (duration, cancelAfter) = (
                Int.random(in: 0...3, using: &generator), Int.random(in: 0...12, using: &generator)
            )
            let advanceAfter = Int.random(in: 0...12, using: &generator)
            let call = Task {
                try await timeout.run {
                    try await probe.track { _ in try await clock.sleep(for: .nanoseconds(duration * 500)) }
                }
            }
            let driver = Task {
                for step in 0...12 {
                    if step == cancelAfter { call.cancel() }
                    if step == advanceAfter { time.advance(by: .nanoseconds(1_000)) }
                    await Task.yield()
                }
            }
            _ = await call.result
            #expect(probe.running == 0 && time.sleeperCount == 0, "seed \(seed)")
            await driver.value
        }
    }

    @Test("On the live clock the limit cancels an operation that never suspends, and one that waits")
    func liveClock() async throws {
        let timeout = try Timeout("test", .milliseconds(5))
        await #expect(throws: TimeoutError.self) {
            try await timeout.run { while !Task.isCancelled {} }
        }
        await #expect(throws: TimeoutError.self) {
            try await timeout.run { try await TimeSource.live.sleep(for: .seconds(3_600)) }
        }
        #expect(timeout.counts.calls == 2 && timeout.counts.timeouts == 2)
    }

    @Test("On the live clock a cancellation from outside ends the call before the limit, and is no timeout")
    func liveCancellation() async throws {
        let timeout = try Timeout("test", .seconds(3_600))
        let entered = Gate()
        let call = Task {
            try await timeout.run {
                entered.open()
                try await TimeSource.live.sleep(for: .seconds(3_600))
            }
        }
        await entered.wait()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(timeout.counts.calls == 1 && timeout.counts.timeouts == 0)
    }

    @Test(
        "On the live clock a cancellation before the limit is no timeout, also of an operation that never suspends",
        arguments: [true, false]
    )
    func cancelledWhileComputing(before: Bool) async throws {
        let timeout = try Timeout("test", .milliseconds(200))
        let (caller, isReady) = (TaskBox(), Gate())
        let call = Task {
            await isReady.wait()
            if before { caller.cancel() }
            return try await timeout.run {
                caller.cancel()
                // Until the limit is over.
                let end = TimeSource.live.now.advanced(by: .milliseconds(300))
                while TimeSource.live.now < end {}
                return "done"
            }
        }
        caller.hold(call)
        isReady.open()
        #expect(try await call.value == "done")
        #expect(timeout.counts.calls == 1 && timeout.counts.timeouts == 0)
    }

    @Test("An operation that does not wait runs in the thread of the caller")
    func thread() async throws {
        let timeout = try Timeout("test", .seconds(60))
        for _ in 0..<100 {
            let before = pthread_self()
            let inside = try await timeout.run { pthread_self() }
            #expect(inside == before)
        }
    }

    @Test("Task-local values reach the operation")
    func taskLocals() async throws {
        let timeout = try timeout()
        let seen = try await Self.$local.withValue(7) { try await timeout.run { Self.local } }
        #expect(seen == 7)
    }

    @TaskLocal private static var local = 0

    @Test("A limit that is not longer than zero is refused", arguments: [0, -1])
    func invalid(_ seconds: Int) {
        let error = #expect(throws: ResilienceError.self) { try Timeout("t", .seconds(seconds)) }
        #expect(error?.message.contains("it has to be longer than zero") == true)
        #expect(throws: ResilienceError.self) { try Timeout("", .seconds(1)) }
    }
}
