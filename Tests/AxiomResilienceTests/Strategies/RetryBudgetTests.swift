// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite("Retry budget")
struct RetryBudgetTests {
    @Test("The percentage rule equals a reference that keeps every event, over random histories")
    func percentageModel() throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let share = Double(Int.random(in: 0...10, using: &generator)) / 10
            let reserve = Double(Int.random(in: 0...5, using: &generator)) / 10
            let time = ManualTime(start: Instant(nanoseconds: .random(in: 0...1_000_000_000_000, using: &generator)))
            let budget = try RetryBudget.percentage(share, reserve: reserve, clock: .manual(time))
            var reference = PercentageReference(share: share, reserve: reserve, start: time.now)
            var refused = 0
            for _ in 0..<150 {
                let longest = Bool.random(using: &generator) ? 50 : 4_000
                time.advance(by: .milliseconds(Int.random(in: 0...longest, using: &generator)))
                if Bool.random(using: &generator) {
                    budget.recordCall()
                    reference.recordCall(at: time.now)
                } else {
                    let expected = reference.withdraw(at: time.now)
                    #expect(budget.requestRetry() == expected, "seed \(seed)")
                    refused += expected ? 0 : 1
                }
                #expect(abs(budget.tokens - reference.balance(at: time.now)) < 1e-6, "seed \(seed)")
            }
            #expect(budget.exhausted == refused, "seed \(seed)")
        }
    }

    @Test("The token rule equals a reference in decimals, and allows nothing at half and below")
    func tokenModel() throws {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let maximum = Int.random(in: 1...20, using: &generator)
            let ratio = Double(Int.random(in: 1...1_000, using: &generator)) / 1_000
            let budget = try RetryBudget.tokenRatio(maximumTokens: maximum, ratio: ratio)
            var reference = Double(maximum)
            for _ in 0..<200 {
                if Bool.random(using: &generator) {
                    budget.recordFailure()
                    reference = max(0, reference - 1)
                    // Rounded, for sums of decimals are not exact.
                    let allowed = (reference * 1_000).rounded() > Double(maximum) * 500
                    #expect(budget.requestRetry() == allowed, "seed \(seed)")
                } else {
                    budget.recordSuccess()
                    reference = min(Double(maximum), reference + ratio)
                }
                #expect(abs(budget.tokens - reference) < 1e-6, "seed \(seed)")
            }
        }
    }

    @Test("The defaults are Finagle's: 100 retries from the reserve, then one for five calls, all forgotten in 10 s")
    func finagle() throws {
        let time = ManualTime()
        let budget = try RetryBudget.percentage(clock: .manual(time))
        #expect((0..<200).filter { _ in budget.requestRetry() }.count == 100)
        for _ in 0..<50 { budget.recordCall() }
        #expect((0..<20).filter { _ in budget.requestRetry() }.count == 10)
        time.advance(by: .milliseconds(9_999))
        #expect(budget.tokens == 0 && !budget.requestRetry())
        time.advance(by: .milliseconds(1))
        #expect(budget.tokens == 100)
        #expect(budget.exhausted == 111)
    }

    @Test("Retries that share a budget stop together when it is used up, and count why")
    func shared() async throws {
        let budget = try RetryBudget.tokenRatio(maximumTokens: 10, ratio: 0.1)
        let retries = try ["a", "b"].map { name in
            try Retry(name) {
                $0.backoff = .none
                $0.maximumAttempts = 100
                $0.budget = budget
            }
        }
        let probe = Probe()
        for retry in retries {
            await #expect(throws: Failure.self) {
                try await retry.run { try await probe.track { _ in throw Failure() } }
            }
        }
        // Tokens 9, 8, 7 and 6 allow a retry, 5 does not; then 4 for the other.
        #expect(retries.map(\.counts.retries) == [4, 0])
        #expect(retries.map { $0.counts[.budgetRefused] } == [1, 1])
        #expect(probe.calls == 6 && budget.exhausted == 2 && budget.tokens == 4)
    }

    @Test("Errors that are not retried, and cancellations, cost no tokens")
    func uncounted() async throws {
        let budget = try RetryBudget.tokenRatio()
        let retry = try Retry("r") {
            $0.budget = budget
            $0.onError = { _ in .stop }
        }
        _ = await Result(of: retry) { throw Failure() }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await retry.run { throw CancellationError() }
        }
        _ = await cancelled.result
        #expect(budget.tokens == 10)
    }

    @Test("Values out of range are refused")
    func invalid() {
        for ratio in [0, -1, .nan, 1e9] {
            #expect(throws: ResilienceError.self) { try RetryBudget.tokenRatio(ratio: ratio) }
        }
        for tokens in [0, -1, 1_001] {
            #expect(throws: ResilienceError.self) { try RetryBudget.tokenRatio(maximumTokens: tokens) }
        }
        for number in [-0.1, .nan, .infinity] {
            #expect(throws: ResilienceError.self) { try RetryBudget.percentage(number) }
            #expect(throws: ResilienceError.self) { try RetryBudget.percentage(reserve: number) }
        }
        for window in [Duration.zero, .seconds(-1), .seconds(3_601), .nanoseconds(99)] {
            #expect(throws: ResilienceError.self) { try RetryBudget.percentage(window: window) }
        }
    }
}

/// Keeps every event, and sums up those whose step is among the last hundred.
private struct PercentageReference {
    let share: Double
    let reserve: Double
    let start: Instant
    private var events: [(step: Int64, value: Double)] = []

    init(share: Double, reserve: Double, start: Instant) {
        self.share = share
        self.reserve = reserve
        self.start = start
    }

    private func step(_ now: Instant) -> Int64 { now.nanoseconds(since: start) / 100_000_000 }

    func balance(at now: Instant) -> Double {
        reserve * 10 + events.filter { step(now) - $0.step < 100 }.map(\.value).reduce(0, +)
    }

    mutating func recordCall(at now: Instant) {
        events.append((step(now), share))
    }

    mutating func withdraw(at now: Instant) -> Bool {
        guard balance(at: now) > 1 - 1e-9 else { return false }
        events.append((step(now), -1))
        return true
    }
}
