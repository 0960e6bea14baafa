// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Limits retries to a share of the calls, so that retries do not overload a server that already fails.
///
/// Share one budget among all ``Retry`` strategies that call the same server. With one budget per method, the sum of their
/// retries would exceed the limit. Every operation is atomic and takes constant time, under a lock that is held for a few
/// additions.
public final class RetryBudget: Sendable {
    private struct State {
        /// Exactly one of the two rules is set. Separate properties, so that each can be modified in place.
        var ratio: TokenRatioRule?
        var percentage: PercentageRule?
        var exhausted = 0
    }

    /// Guards every field of the state.
    private let state: Lock<State>
    /// Nil for the token ratio, which does not depend on time.
    private let clock: TimeSource?

    private init(ratio: TokenRatioRule? = nil, percentage: PercentageRule? = nil, clock: TimeSource?) {
        state = Lock(State(ratio: ratio, percentage: percentage))
        self.clock = clock
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
        return RetryBudget(ratio: TokenRatioRule(maximumTokens: maximumTokens, ratio: ratio), clock: nil)
    }

    /// The rule of Finagle: within a sliding window, retries are at most `share` × the calls, plus `reserve` per second.
    ///
    /// The window moves in steps of `window`/100. A call or a retry counts for 100 steps, its own included. The state is
    /// two arrays of a hundred integers.
    ///
    /// - Parameters:
    ///   - share: Retries per call: 0...1,000, rounded to millionths.
    ///   - reserve: Additional retries per second, so that a client with few calls can retry at all: 0...1,000,000.
    ///   - window: How long a call or a retry counts: 1 ms...1 h.
    ///   - clock: The clock of the window.
    /// - Throws: ``ResilienceError`` if a value is out of range.
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

    /// What is left now. Token ratio: the number of tokens, half of which cannot be spent. Percentage: the number of
    /// retries that are allowed, a fraction, and negative if calls that paid for retries have left the window.
    package var tokens: Double {
        let now = now
        return state.withLock { state in
            state.ratio?.tokens ?? state.percentage?.tokens(at: now) ?? 0
        }
    }

    /// How many retries the budget has refused. Never decreases.
    package var exhausted: Int { state.withLock { $0.exhausted } }

    /// Records the first attempt of a call.
    package func recordCall() {
        // The token ratio only counts the ends of attempts.
        guard clock != nil else { return }
        let now = now
        state.withLock { $0.percentage?.recordCall(at: now) }
    }

    /// Records a successful attempt.
    package func recordSuccess() {
        guard clock == nil else { return }
        state.withLock { $0.ratio?.recordSuccess() }
    }

    /// Records an attempt whose error is worth a retry, whether the retry follows or not.
    package func recordFailure() {
        guard clock == nil else { return }
        state.withLock { $0.ratio?.recordFailure() }
    }

    /// Requests one retry.
    ///
    /// - Returns: Whether the retry is allowed. A refusal is counted in ``exhausted``.
    package func requestRetry() -> Bool {
        let now = now
        return state.withLock { state in
            let allowed = state.ratio?.allowsRetry ?? state.percentage?.withdraw(at: now) ?? false
            if !allowed { state.exhausted += 1 }
            return allowed
        }
    }

    private var now: Instant { clock?.now ?? Instant(nanoseconds: 0) }
}

/// The throttle of gRPC proposal A6, in thousandths of a token.
private struct TokenRatioRule: Sendable {
    private let maximum: Int
    private let gain: Int
    /// In 0...`maximum`.
    private var thousandths: Int

    init(maximumTokens: Int, ratio: Double) {
        maximum = maximumTokens * 1_000
        gain = Int((ratio * 1_000).rounded())
        thousandths = maximum
    }

    var tokens: Double { Double(thousandths) / 1_000 }

    var allowsRetry: Bool { thousandths > maximum / 2 }

    mutating func recordSuccess() {
        thousandths = min(maximum, thousandths + gain)
    }

    mutating func recordFailure() {
        thousandths = max(0, thousandths - 1_000)
    }
}

/// The retry budget of Finagle: calls earn retries and retries spend them, over a sliding window.
///
/// Each step of the window counts calls and retries as integers. Share and reserve are integer millionths of a retry.
/// The decision is therefore exact.
private struct PercentageRule: Sendable {
    private struct Counts: Sendable {
        var calls: Int64 = 0
        var retries: Int64 = 0
    }

    private static let steps = 100
    private static let unit: Int64 = 1_000_000

    private let share: Int64
    private let reserve: Int64
    private var window: RollingWindow<Counts>
    /// The sum of the window.
    private var total = Counts()

    init(share: Double, reserve: Double, window: Duration, start: Instant) {
        self.share = Int64((share * Double(Self.unit)).rounded())
        self.reserve = Int64((reserve * window.inSeconds * Double(Self.unit)).rounded())
        let step = Duration.nanoseconds(window.clampedNanoseconds / Int64(Self.steps))
        self.window = RollingWindow(step: step, capacity: Self.steps, empty: Counts(), origin: start, at: start)
    }

    mutating func recordCall(at now: Instant) {
        advance(to: now)
        window.current.calls += 1
        total.calls += 1
    }

    mutating func withdraw(at now: Instant) -> Bool {
        advance(to: now)
        guard balance >= Self.unit else { return false }
        window.current.retries += 1
        total.retries += 1
        return true
    }

    mutating func tokens(at now: Instant) -> Double {
        advance(to: now)
        return Double(balance) / Double(Self.unit)
    }

    private var balance: Int64 {
        reserve + total.calls * share - total.retries * Self.unit
    }

    private mutating func advance(to now: Instant) {
        var total = total
        window.advance(to: now) { expired in
            total.calls -= expired.calls
            total.retries -= expired.retries
        }
        self.total = total
    }
}
