// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Limits retries to a share of the calls, so that retries do not overload a server that already fails.
///
/// Share one budget among all ``Retry`` strategies that call the same server. With one budget per method, the sum of their
/// retries would exceed the limit. Every operation is atomic and takes constant time, under a lock that is held for a few
/// additions.
public final class RetryBudget: Sendable {
    /// Tokens are counted in thousandths.
    private struct State {
        /// In 0...`maximum`.
        var thousandths: Int
        var exhausted = 0
    }

    private let maximum: Int
    private let gain: Int
    /// Guards every field of the state.
    private let state: Lock<State>

    private init(maximumTokens: Int, ratio: Double) {
        maximum = maximumTokens * 1_000
        gain = Int((ratio * 1_000).rounded())
        state = Lock(State(thousandths: maximum))
    }

    /// The rule of gRPC (proposal A6): a failed attempt takes one token, a success returns `ratio` tokens, and a retry
    /// requires that more than half of the tokens are left.
    ///
    /// Attempts with errors that are not retried change nothing. Tokens are counted in thousandths, as in A6.
    ///
    /// - Parameters:
    ///   - maximumTokens: The initial and maximum number of tokens: 1...1,000.
    ///   - ratio: The tokens that a success returns: 0.001...1,000, rounded to thousandths.
    /// - Throws: ``ResilienceError`` if a value is out of range.
    public static func tokenRatio(
        maximumTokens: Int = 10,
        ratio: Double = 0.1,
        file: String = #fileID,
        line: Int = #line
    ) throws -> RetryBudget {
        let check = SettingCheck(subject: "RetryBudget", file: file, line: line)
        let isCapacity = (1...1_000).contains(maximumTokens)
        try check.require(isCapacity, "maximumTokens", maximumTokens, "it has to be in 1...1,000")
        try check.require((0.001...1_000).contains(ratio), "ratio", ratio, "it has to be in 0.001...1,000")
        return RetryBudget(maximumTokens: maximumTokens, ratio: ratio)
    }

    /// The number of tokens that are left, half of which cannot be spent.
    package var tokens: Double { state.withLock { Double($0.thousandths) / 1_000 } }

    /// How many retries the budget has refused. Never decreases.
    package var exhausted: Int { state.withLock { $0.exhausted } }

    /// Records a successful attempt.
    package func recordSuccess() {
        state.withLock { $0.thousandths = min(maximum, $0.thousandths + gain) }
    }

    /// Records an attempt whose error is worth a retry, whether the retry follows or not.
    package func recordFailure() {
        state.withLock { $0.thousandths = max(0, $0.thousandths - 1_000) }
    }

    /// Requests one retry. Returns whether the retry is allowed. A refusal is counted in ``exhausted``.
    package func requestRetry() -> Bool {
        state.withLock { state in
            let isAllowed = state.thousandths > maximum / 2
            if !isAllowed { state.exhausted += 1 }
            return isAllowed
        }
    }
}
