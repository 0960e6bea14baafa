// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomResilience

@Suite("The failure rate that opens a breaker")
struct FailureRateTests {
    @Test(
        "A breaker opens at exactly the share of failures that is its threshold, whatever rounding does to the product"
    )
    func everyFraction() throws {
        for calls in 1...60 {
            for failures in 1...calls {
                let threshold = Double(failures) / Double(calls)
                #expect(try state(calls, failures, threshold) == .open, "\(failures) of \(calls)")
                guard threshold < 1 else { continue }
                #expect(try state(calls, failures, threshold.nextUp) == .closed, "\(failures) of \(calls)")
            }
        }
    }

    /// The state after a window of calls, the failures first.
    private func state(_ calls: Int, _ failures: Int, _ threshold: Double) throws -> CircuitState {
        let tested = try BreakerUnderTest(
            CircuitBreakerConfiguration(
                window: .count(calls),
                minimumCalls: calls,
                failureRateThreshold: threshold
            )
        )
        for index in 0..<calls { tested.call(index < failures ? .failure : .success) }
        return tested.state
    }
}
