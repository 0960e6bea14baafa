// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite("Policy", .timeLimit(.minutes(10)))
struct PolicyTests {
    /// Writes down when it is entered and left.
    private struct Marker: ResilienceStrategy {
        let name: String
        let probe: Trace

        func run<R>(
            isolation: isolated (any Actor)?,
            _ operation: nonisolated(nonsending) () async throws -> R
        ) async throws -> R {
            probe.note("+" + name)
            defer { probe.note("-" + name) }
            return try await operation()
        }
    }

    private final class Trace: Sendable {
        private let log = Lock("")
        var text: String { log.withLock { $0 } }
        func note(_ text: String) { log.withLock { $0 += text } }
    }

    private let time = ManualTime()

    @Test(
        "Strategies run in the order in which they are written, the first outermost, whatever builds the list",
        arguments: [false, true]
    )
    func order(flag: Bool) async throws {
        let trace = Trace()
        func marker(_ name: String) -> Marker { Marker(name: name, probe: trace) }
        let inner = try Policy("inner") { marker("d") }
        let policy = try Policy("p") {
            marker("a")
            if flag { marker("b") } else { marker("B") }
            if flag { marker("o") }
            for name in ["c"] { marker(name) }
            inner
            [marker("e"), marker("f")]
        }
        #expect(try await policy.run { 5 } == 5)
        #expect(trace.text == (flag ? "+a+b+o+c+d+e+f-f-e-d-c-o-b-a" : "+a+B+c+d+e+f-f-e-d-c-B-a"))
    }

    @Test("An empty policy runs the operation as it is")
    func empty() async throws {
        let policy = try Policy("p") {}
        #expect(try await policy.run { 1 } == 1)
        await #expect(throws: Failure.self) { try await policy.run { throw Failure() } }
    }

    @Test("The recommended order: each attempt times out and is repeated, and the fallback supplies the value")
    func recommended() async throws {
        let clock = TimeSource.manual(time)
        let fallback = try Fallback("f") { _ in "fallback" }
        let retry = try Retry("r", clock: clock) {
            $0.backoff = .none
            $0.maximumAttempts = 3
        }
        let bulkhead = try Bulkhead("b", clock: clock) { $0.limit = 1 }
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        let policy = try Policy("checkout") {
            fallback
            retry
            bulkhead
            timeout
        }
        let probe = Probe()
        let call = Task {
            try await policy.run { () -> String in
                try await probe.track { _ in try await clock.sleep(for: .seconds(5)) }
                return "value"
            }
        }
        for _ in 0..<3 {
            await time.waitForSleepers(2)
            time.advance(by: .seconds(1))
        }
        #expect(try await call.value == "fallback")
        #expect(probe.calls == 3 && probe.running == 0 && time.sleeperCount == 0)
        #expect(timeout.counts.timeouts == 3 && retry.counts[.exhausted] == 1)
        #expect(bulkhead.counts.finished == 3 && fallback.counts.substitute == 1)
        #expect(policy.remarks.isEmpty)
    }

    @Test("Random stacks under cancellation and passing time leave no operation, place, call or timer behind")
    func noLeaks() async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<150 {
            let clock = TimeSource.manual(time)
            let timeouts = try (0..<2).map { try Timeout("t\($0)", .nanoseconds(3 + $0 * 4), clock: clock) }
            let retry = try Retry("r", clock: clock) {
                $0.backoff = .constant(.nanoseconds(2))
            }
            let bulkhead = try Bulkhead("b", clock: clock) {
                $0.limit = 2
                $0.queueLimit = 2
                $0.queueTimeout = .nanoseconds(4)
            }
            let fallback = try Fallback("f") { error in
                guard let failure = error as? Failure, failure.number < 3 else { throw error }
                return failure.number
            }
            let stack = ([fallback, retry, bulkhead] + timeouts as [any ResilienceStrategy]).shuffled(using: &generator)
            let policy = try Policy("p") { stack }
            let probe = Probe()
            let calls = (0..<6).map { number in
                let (wait, fails) = (Int.random(in: 0...4, using: &generator), Bool.random(using: &generator))
                return Task {
                    try await policy.run {
                        try await probe.track { _ in
                            try await clock.sleep(for: .nanoseconds(wait))
                            if fails { throw Failure(number: number) }
                            return number
                        }
                    }
                }
            }
            let ended = Trace()
            let victims = calls.filter { _ in Bool.random(using: &generator) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for call in calls { _ = await call.result }
                    ended.note("ended")
                }
                var step = 0
                while ended.text.isEmpty {
                    if step % 3 == 0, step / 3 < victims.count { victims[step / 3].cancel() }
                    time.advance(by: .nanoseconds(1))
                    await Task.yield()
                    step += 1
                }
            }
            let note: Comment = "seed \(seed): \(policy.description)"
            #expect(probe.running == 0 && time.sleeperCount == 0, note)
            #expect(bulkhead.counts.inUse == 0 && bulkhead.counts.queueDepth == 0, note)
            #expect(retry.counts.inFlight == 0 && retry.counts.calls >= retry.counts.ended, note)
        }
    }

    @Test("The description lists the strategies in order, those of inner policies included, and the remarks")
    func description() throws {
        let inner = try Policy("inner") {
            try Retry("fetch") { $0.backoff = .none }
            try Fallback("prices") { _ in 7 }
        }
        let policy = try Policy("checkout") {
            try Bulkhead("pool")
            inner
            try Timeout("call", .seconds(2))
        }
        #expect(
            policy.description == """
                Policy "checkout", outermost first:
                  1. Bulkhead "pool": 10 at once, none waiting
                  2. Retry "fetch": at most 3 attempts, backoff none
                  3. Fallback "prices": Int, a substitute
                  4. Timeout "call": 2.0 seconds
                  note: Bulkhead "pool" around Retry "fetch": the call holds its slot during waits between attempts
                  note: Bulkhead "pool" around Fallback "prices": it counts values of the fallback as successes
                  note: Retry "fetch" around Fallback "prices": it counts values of the fallback as successes
                """
        )
        #expect(policy.outline == "Policy \"checkout\": bulkhead > policy > timeout")
    }

    @Test("One strategy within itself is refused, also through a policy; two of a kind are not")
    func twice() throws {
        let bulkhead = try Bulkhead("pool")
        let inner = try Policy("inner") { bulkhead }
        for strategies in [[bulkhead, bulkhead], [inner, bulkhead]] as [[any ResilienceStrategy]] {
            let error = #expect(throws: ResilienceError.self) { try Policy("p") { strategies } }
            #expect(error?.code == .invalidComposition)
        }
        let policy = try Policy("p") {
            try Retry("a")
            try Retry("b")
        }
        #expect(policy.remarks.count == 1 && policy.remarks[0].hasSuffix("attempts multiply"))
        #expect(throws: ResilienceError.self) { try Policy("") {} }
    }
}
