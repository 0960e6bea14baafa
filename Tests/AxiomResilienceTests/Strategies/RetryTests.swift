// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomResilience

@Suite("Retry", .timeLimit(.minutes(10)))
struct RetryTests {
    private let time = ManualTime()
    private let probe = Probe()

    private func retry(_ configure: (inout RetryConfiguration) -> Void = { _ in }) throws -> Retry {
        try Retry("test", clock: .manual(time)) {
            $0.backoff = .none
            configure(&$0)
        }
    }

    @Test("The counts are printed by name, and outcomes that have not occurred are left out")
    func printedCounts() async throws {
        let retry = try Retry("r") {
            $0.maximumAttempts = 2
            $0.backoff = .none
        }
        _ = try await retry.run { 1 }
        await #expect(throws: Failure.self) { try await retry.run { throw Failure() } }
        #expect("\(retry.counts)" == "calls: 2, retries: 1, success_first: 1, exhausted: 1")
    }

    @Test("A call that succeeds at once runs once and counts as such")
    func successFirst() async throws {
        let retry = try retry()
        #expect(try await retry.run { try await probe.track { $0 } } == 1)
        #expect(retry.counts.calls == 1 && retry.counts.retries == 0)
        #expect(retry.counts[.successFirst] == 1 && retry.counts.inFlight == 0)
    }

    @Test("Operations run exactly calls + retries times, outcomes sum up to calls, and each ends as the model says")
    func conservation() async throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let attempts = Int.random(in: 1...5, using: &generator)
            let script = (0..<8).map { _ in Int.random(in: 0...4, using: &generator) }
            let retry = try retry {
                $0.maximumAttempts = attempts
                $0.onError = { ($0 as? Failure)?.number == 2 ? .stop : .retry }
            }
            let probe = Probe()
            let result = await Result(of: retry) {
                try await probe.track { call in
                    switch script[call - 1] {
                    case 0, 1: throw Failure(number: script[call - 1])
                    case 2: throw Failure(number: 2)
                    case 4: throw CancellationError()
                    default: return call
                    }
                }
            }
            let (runs, outcome) = Self.model(script, attempts)
            #expect(probe.calls == runs && retry.counts.calls + retry.counts.retries == runs, "seed \(seed)")
            #expect(retry.counts[outcome] == 1 && retry.counts.ended == 1, "seed \(seed)")
            if case .failure(let error) = result {
                let last = error is CancellationError ? 4 : (error as? Failure)?.number
                #expect(last == script[runs - 1], "the last error; seed \(seed)")
            }
        }
    }

    private static func model(_ script: [Int], _ attempts: Int) -> (Int, RetryOutcome) {
        for run in 1...attempts {
            if script[run - 1] == 3 { return (run, run == 1 ? .successFirst : .successRetried) }
            if script[run - 1] == 2 { return (run, .notRetryable) }
        }
        return (attempts, .exhausted)
    }

    @Test("The waits are those of the backoff; a delay that the server tells takes their place, cap or no cap")
    func delays() async throws {
        let retry = try retry {
            $0.maximumAttempts = 4
            $0.backoff = .exponential(base: .seconds(1), cap: .seconds(2), jitter: .none)
            $0.retryAfterJitter = 0
        }
        let done = Task {
            try await retry.run {
                try await probe.track { call in
                    probe.note(Int(time.now.nanoseconds / 1_000_000_000))
                    if call == 2 { throw Advice(retryAdvice: .retry(after: .seconds(30))) }
                    throw Failure(number: call)
                }
            }
        }
        for wait in [1, 30, 2] {
            await time.waitForSleepers(1)
            time.advance(by: .seconds(wait))
        }
        await #expect(throws: Failure(number: 4)) { try await done.value }
        #expect(probe.log == [0, 1, 31, 33])
    }

    @Test("A delay that a server requests is at most retryAfterLimit, and callers do not return in one instant")
    func requestedDelays() async throws {
        let configuration = RetryConfiguration()
        for requested in [Duration.seconds(86_400), .seconds(5)] {
            let (limit, jitter) = (configuration.retryAfterLimit, configuration.retryAfterJitter)
            let decision = RetryDecision.retry(after: requested)
            let all = (0..<100).compactMap { _ in decision.requestedDelay(limit: limit, jitter: jitter) }
            let limited = min(requested, .seconds(3_600))
            #expect(all.count == 100 && all.allSatisfy { limited <= $0 && $0 <= limited + limited / 10 })
            #expect(Set(all).count > 90, "jitter")
        }
        let retry = try retry { $0.maximumAttempts = 2 }
        let call = Task {
            try await retry.run {
                try await probe.track { _ in throw Advice(retryAdvice: .retry(after: .seconds(86_400))) }
            }
        }
        await time.waitForSleepers(1)
        #expect(probe.calls == 1)
        time.advance(by: .seconds(3_960))
        await #expect(throws: Advice.self) { try await call.value }
        #expect(probe.calls == 2)
        for wrong in [-0.1, 1.1, .nan, .infinity] {
            #expect(throws: ResilienceError.self) { try Retry("r") { $0.retryAfterJitter = wrong } }
        }
        #expect(throws: ResilienceError.self) { try Retry("r") { $0.retryAfterLimit = .zero } }
        let endless = RetryDecision.retry(after: .seconds(Int64.max))
        #expect(endless.requestedDelay(limit: .seconds(Int64.max), jitter: 1).map { $0 > .zero } == true)
    }

    @Test("An error that advises against it is not retried")
    func advisedToStop() async throws {
        let retry = try retry()
        await #expect(throws: Advice.self) {
            try await retry.run { try await probe.track { _ in throw Advice(retryAdvice: .stop) } }
        }
        #expect(probe.calls == 1 && retry.counts[.notRetryable] == 1)
    }

    @Test("A CancellationError of a cancelled caller is never retried, whatever the configuration says")
    func cancellationError() async throws {
        let retry = try retry { $0.onError = { _ in .retry } }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await retry.run { try await probe.track { _ in throw CancellationError() } }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(probe.calls == 1 && retry.counts[.cancelled] == 1)
    }

    @Test("Cancellation ends a wait at once, without time moving and without another attempt")
    func cancelledWhileWaiting() async throws {
        let retry = try retry { $0.backoff = .constant(.seconds(60), jitter: .none) }
        let task = Task { try await retry.run { try await probe.track { _ in throw Failure() } } }
        await time.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(probe.calls == 1 && retry.counts[.cancelled] == 1 && retry.counts.inFlight == 0)
        #expect(time.sleeperCount == 0)
    }

    @Test("A task that is cancelled during an attempt does not get another one")
    func cancelledDuringAttempt() async throws {
        let retry = try retry()
        let gate = Gate()
        let task = Task {
            try await retry.run {
                try await probe.track { _ in
                    await gate.wait()
                    throw Failure()
                }
            }
        }
        await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        await #expect(throws: Failure.self) { try await task.value }
        #expect(probe.calls == 1 && retry.counts[.cancelled] == 1)
    }

    @Test("Settings out of range are refused with their name")
    func invalid() {
        #expect(throws: ResilienceError.self) { try Retry("") }
        #expect(throws: ResilienceError.self) { try Retry("r") { $0.maximumAttempts = 0 } }
        let error = #expect(throws: ResilienceError.self) { try Retry("r") { $0.retryAfterLimit = .seconds(-1) } }
        #expect(error?.description.contains("Retry \"r\": retryAfterLimit is -1.0 seconds") == true)
        #expect(error?.description.contains("RetryTests.swift") == true)
    }
}

extension Result where Failure == any Error, Success: Sendable {
    init(of strategy: some ResilienceStrategy, _ body: @Sendable () async throws -> Success) async {
        do { self = .success(try await strategy.run(body)) } catch { self = .failure(error) }
    }
}
