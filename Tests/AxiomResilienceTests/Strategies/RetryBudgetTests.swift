// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite("Retry budget")
struct RetryBudgetTests {
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
    }
}
