// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Bounds retries to a share of the calls, so that retries do not finish off a server that fails under load.
///
/// Share one budget among all ``Retry`` strategies that call one server: a budget for each method would let their sum
/// through. Every operation is atomic and O(1), under a lock that is held for a few additions.
public final class RetryBudget: Sendable {
    private struct State {
        /// One of the two rules is there, apart so that each is changed in place.
        var ratio: TokenRatioRule?
        var percentage: PercentageRule?
        var exhausted = 0
    }

    /// Every field of the state is read and written under this lock.
    private let state: Lock<State>
    /// Nil for the rule that needs no time, and then reads none.
    private let clock: TimeSource?

    private init(ratio: TokenRatioRule? = nil, percentage: PercentageRule? = nil, clock: TimeSource?) {
        state = Lock(State(ratio: ratio, percentage: percentage))
        self.clock = clock
    }

    /// The rule of gRPC (proposal A6): a failed attempt takes one token, a success gives `ratio` tokens back, and
    /// there are no retries while half of the tokens or more are gone.
    ///
    /// Attempts with errors that are not to be retried change nothing. Tokens are counted in thousandths, as A6 says.
    ///
    /// - Parameters:
    ///   - maximumTokens: The tokens at the start, and the most there can be: 1...1,000; 10 unless told.
    ///   - ratio: What a success gives back: 0.001...1,000, rounded to thousandths; 0.1 unless told.
    /// - Throws: ``ResilienceError`` for a value that is out of its range.
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
        return RetryBudget(ratio: TokenRatioRule(maximumTokens: maximumTokens, ratio: ratio), clock: nil)
    }

    /// The rule of Finagle: of late, there have been at most `share` × the calls, and `reserve` per second, of
    /// retries.
    ///
    /// "Of late" is a window of `window` that moves in a hundred steps: what was counted in a step of `window`/100
    /// stays for 100 steps, its own included. The state is two arrays of a hundred integers.
    ///
    /// - Parameters:
    ///   - share: Retries per call, 0...1,000, rounded to millionths; 0.2 unless told.
    ///   - reserve: Retries per second that are allowed beyond that, so that a client with few calls can retry at
    ///     all: 0...1,000,000; 10 unless told.
    ///   - window: How long a call or a retry is remembered: 1 ms...1 h; 10 s unless told.
    ///   - clock: Where time comes from.
    /// - Throws: ``ResilienceError`` for a value that is out of its range.
    public static func percentage(
        _ share: Double = 0.2,
        reserve: Double = 10,
        window: Duration = .seconds(10),
        clock: TimeSource = .live,
        file: String = #fileID,
        line: Int = #line
    ) throws -> RetryBudget {
        let check = SettingCheck(subject: "RetryBudget", file: file, line: line)
        try check.require((0...1_000).contains(share), "share", share, "it has to be in 0...1,000; 0.2 is 20 %")
        try check.require((0...1_000_000).contains(reserve), "reserve", reserve, "it has to be in 0...1,000,000")
        let isWindow = (.milliseconds(1) ... .seconds(3_600)).contains(window)
        try check.require(isWindow, "window", window, "it has to be in 1 ms...1 h")
        let rule = PercentageRule(share: share, reserve: reserve, window: window, start: clock.now)
        return RetryBudget(percentage: rule, clock: clock)
    }

    /// What is left at this moment. For the token ratio the tokens, of which half cannot be spent; for the percentage
    /// how many retries it would allow, with fractions, and below 0 when calls that paid for retries have expired.
    public var tokens: Double {
        let now = now
        return state.withLock { state in
            state.ratio?.tokens ?? state.percentage?.tokens(at: now) ?? 0
        }
    }

    /// How many retries were refused. Never falls.
    public var exhausted: Int { state.withLock { $0.exhausted } }

    /// Notes the first attempt of a call.
    public func recordCall() {
        // The token ratio counts ends of attempts alone.
        guard clock != nil else { return }
        let now = now
        state.withLock { $0.percentage?.recordCall(at: now) }
    }

    /// Notes an attempt that succeeded.
    public func recordSuccess() {
        guard clock == nil else { return }
        state.withLock { $0.ratio?.recordSuccess() }
    }

    /// Notes an attempt that failed with an error to retry, whether it will be or not.
    public func recordFailure() {
        guard clock == nil else { return }
        state.withLock { $0.ratio?.recordFailure() }
    }

    /// Asks for one retry.
    ///
    /// - Returns: Whether it is allowed, and then counted; otherwise it is counted in ``exhausted``.
    public func requestRetry() -> Bool {
        let now = now
        return state.withLock { state in
            let allowed = state.ratio?.allowsRetry ?? state.percentage?.withdraw(at: now) ?? false
            if !allowed { state.exhausted += 1 }
            return allowed
        }
    }

    private var now: Instant { clock?.now ?? Instant(nanoseconds: 0) }
}
