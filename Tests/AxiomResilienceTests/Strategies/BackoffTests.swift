// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomResilience

@Suite("Backoff")
struct BackoffTests {
    private let base = Duration.milliseconds(100)
    private let cap = Duration.seconds(2)

    private func nominal(_ retry: Int) -> Duration {
        var delay = base
        for _ in 0..<retry { delay = min(cap, delay * 2) }
        return delay
    }

    @Test("Without jitter, delays double up to the cap and stay there")
    func noJitter() {
        var generator = SplitMix64(seed: 1)
        let backoff = Backoff.exponential(base: base, cap: cap, jitter: .none)
        for retry in 0..<100 {
            #expect(backoff.delay(beforeRetry: retry, using: &generator) == nominal(retry))
        }
    }

    @Test("The delay of a retry however late is known at once, also where delays do not grow")
    func late() {
        var generator = SplitMix64(seed: 1)
        let growing = Backoff.exponential(base: base, cap: cap, jitter: .none)
        let stuck = Backoff.exponential(base: .zero, cap: cap, jitter: .none)
        let cases = [(growing, cap), (.constant(base, jitter: .none), base), (stuck, .zero), (Backoff.none, .zero)]
        for (backoff, expected) in cases {
            #expect(backoff.delay(beforeRetry: .max, using: &generator) == expected)
        }
        #expect(growing.delay(beforeRetry: .min, using: &generator) == base)
    }

    @Test("Jittered delays lie in their range, and their mean in its middle", arguments: [Jitter.full, .equal])
    func jitterRange(_ jitter: Jitter) {
        let seed = TestSeed.drawn()
        var generator = SplitMix64(seed: seed)
        let backoff = Backoff.exponential(base: base, cap: cap, jitter: jitter)
        for retry in 0..<8 {
            let high = nominal(retry)
            let low = jitter == .equal ? high / 2 : .zero
            var sum = Duration.zero
            for _ in 0..<4_000 {
                let delay = backoff.delay(beforeRetry: retry, using: &generator)
                #expect((low...high).contains(delay), "seed \(seed)")
                sum += delay
            }
            // The standard error of 4,000 uniform draws is 0.5 % of the range: 4 % are eight of them.
            let deviation = (sum / 4_000 - (low + high) / 2) / (high - low)
            #expect(abs(deviation) < 0.04, "seed \(seed)")
        }
    }

    @Test("Delays of any size are computed without overflow, in 0...cap")
    func extremes() {
        var generator = SplitMix64(seed: 2)
        let years = Duration.seconds(Int64(1e15))
        for jitter in [Jitter.none, .full, .equal] {
            let backoff = Backoff(base: years, multiplier: 1e300, cap: years * 1_000, jitter: jitter)
            for retry in [0, 1, 1_000_000, .max, -1, .min] {
                let delay = backoff.delay(beforeRetry: retry, using: &generator)
                #expect(delay >= .zero && delay <= years * 1_000)
            }
        }
        #expect(Backoff.none.delay(beforeRetry: 3, using: &generator) == .zero)
    }

    @Test("A backoff that makes no sense is refused, with the setting's name and the remedy")
    func invalid() {
        let wrong: [(Backoff, String)] = [
            (.constant(.seconds(-1)), "base"), (.exponential(base: .seconds(2), cap: .seconds(1)), "cap"),
            (.exponential(multiplier: 0.5), "multiplier"), (.exponential(multiplier: .nan), "multiplier"),
            (.exponential(multiplier: .infinity), "multiplier"),
        ]
        for (backoff, setting) in wrong {
            let error = #expect(throws: ResilienceError.self) { try Retry("r") { $0.backoff = backoff } }
            #expect(error?.code == .invalidOption)
            #expect(error?.message.contains("the backoff's \(setting)") == true)
            #expect(error?.message.contains("has to be") == true)
        }
    }
}
