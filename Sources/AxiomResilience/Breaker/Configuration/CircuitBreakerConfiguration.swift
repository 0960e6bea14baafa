// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// When a circuit breaker opens, for how long, and how it closes again.
///
/// ```swift
/// var configuration = CircuitBreakerConfiguration()
/// configuration.window = .time(.seconds(10))
/// configuration.slowCallDuration = .seconds(2)
/// configuration.classify = { error in error is InvalidInput ? .ignored : .failure }
/// ```
///
/// It is checked when a breaker is made of it. Two configurations are equal when their values are, and their closures
/// were set at once: closures cannot be compared, so each time one is set it is a new one.
public struct CircuitBreakerConfiguration: Sendable, Equatable {
    /// Whether the breaker rejects calls.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// It does.
        case enforcing
        /// It admits every call, and counts and reports what it would have done.
        case shadow
    }

    /// The calls on which the breaker decides.
    public struct Window: Sendable, Hashable {
        let extent: CallWindow.Extent

        /// The last `calls` calls that succeeded or failed, 1...1,000,000. Memory: a byte for each.
        public static func count(_ calls: Int) -> Window {
            Window(extent: .calls(calls))
        }

        /// The calls that settled less than `length` ago, 1 ms to 1 day. Exact to the nanosecond while they settled at
        /// no more than 1,000 different instants; with more, a call may stay for 1/512 of the length too long. Memory:
        /// 24 bytes for each instant, 96 KiB at most.
        public static func time(_ length: Duration) -> Window {
            Window(extent: .nanoseconds(length.clampedNanoseconds))
        }

        /// How many calls a count window holds; nil for a time window.
        package var callCapacity: Int? {
            if case .calls(let calls) = extent { return calls }
            return nil
        }
    }

    /// How calls are readmitted, after probes have passed: not all at once.
    public struct Ramp: Sendable, Hashable {
        /// How long it takes until all calls are admitted, more than 0.
        public var duration: Duration
        /// The share of calls that is admitted at first, more than 0 and less than 1; it grows in proportion to time.
        public var initialShare: Double

        /// Makes a ramp.
        public init(duration: Duration, initialShare: Double = 0.1) {
            self.duration = duration
            self.initialShare = initialShare
        }
    }

    /// Whether the breaker rejects calls. It does.
    public var mode: Mode
    /// The calls on which the breaker decides: the last 100 (resilience4j).
    public var window: Window
    /// How many calls there must be before a ratio counts: 20 (Hystrix). At least 1, and no more than a count window
    /// holds. The rule of consecutive failures and the predicate do not wait for it.
    public var minimumCalls: Int
    /// The share of failures at which the breaker opens, more than 0 and at most 1: 0.5 (resilience4j, Hystrix). Half
    /// open, it is applied to the probes. Nil: no such rule, and half open a single failed probe opens it again.
    public var failureRateThreshold: Double?
    /// How many failures in succession open the breaker, at least 1. Nil, the default: no such rule.
    public var consecutiveFailures: Int?
    /// The duration from which on a call is slow, more than 0. Calls in flight are slow as soon as they have lasted as
    /// long. Nil, the default: no call is slow, and fewer readings of the clock are needed.
    public var slowCallDuration: Duration?
    /// The share of slow calls at which the breaker opens, more than 0 and at most 1: 1 (resilience4j). Half open, it is
    /// applied to the probes.
    public var slowCallRateThreshold: Double
    /// How long the breaker stays open, more than 0: 5 s (Hystrix, Polly, SmallRye).
    public var openDuration: Duration
    /// What the open time is multiplied with each time that the breaker opens without having closed in between, at
    /// least 1: 2.
    public var openDurationGrowth: Double
    /// The most that growth makes of the open time, at least ``openDuration``: 300 s (Envoy, Finagle).
    public var openDurationCap: Duration
    /// What is added to the open time at random so that not all programs probe at once, as a share of it, 0...1: up to
    /// 0.1. It comes on top of ``openDurationCap`` too, where it is needed most. Times that a server told get none.
    public var openDurationJitter: Double
    /// The longest time for which a server can have the breaker open, more than 0: 1 hour. What it tells beyond that is
    /// cut down to it, so that no server turns a client off for good.
    public var toldOpenLimit: Duration
    /// How many calls are let through to probe, and so decide whether to close, 1...1,000: 1 (as most breakers).
    public var halfOpenPermits: Int
    /// How long a probe may hold its permit, more than 0: 30 s. One that has not settled by then counts as failed, so
    /// that half open is no state to be stuck in.
    public var halfOpenTimeLimit: Duration
    /// How calls are readmitted after the probes have passed. Nil, the default: all at once.
    public var ramp: Ramp?

    private var errorJudge = Judge(Self.standardClassification, isStandard: true)
    private var resultJudge: Judge<@Sendable (any Sendable) -> CallOutcome>?
    private var tripRule: Judge<@Sendable (WindowSummary) -> Bool>?

    /// What an error says about the call: `CancellationError` that it was cancelled, and every other that it failed.
    ///
    /// If the deadline of a ``Timeout`` or a ``Retry`` around the breaker expires during the call, this is called with
    /// that deadline's ``TimeoutError``, unless the call has ended with a failure anyway. The order of breaker and
    /// timeout therefore makes no difference. A time limit of another kind, such as a task group of your own, looks like
    /// a cancellation by the caller.
    public var classify: @Sendable (_ error: any Error) -> CallOutcome {
        get { errorJudge.body }
        set { errorJudge = Judge(newValue) }
    }

    /// What a result says about the call. Nil, the default: every result is a success.
    public var classifyResult: (@Sendable (_ result: any Sendable) -> CallOutcome)? {
        get { resultJudge?.body }
        set { resultJudge = newValue.map { Judge($0) } }
    }

    /// A rule of your own: whether to open. It is called after each call that succeeded or failed, and before a call is
    /// admitted while others in flight are slow, on the thread of that call. No lock is held: it may read the breaker
    /// and give it orders. It must not send calls through the breaker, as each of them would call it again. Its answer
    /// counts unless the breaker has changed its state since the window was read. Cost: it is part of the call's time,
    /// and each question allocates once. Nil, the default: no such rule.
    public var tripWhen: (@Sendable (_ window: WindowSummary) -> Bool)? {
        get { tripRule?.body }
        set { tripRule = newValue.map { Judge($0) } }
    }

    /// The classification that ``classify`` begins with.
    public static let standardClassification: @Sendable (_ error: any Error) -> CallOutcome = { error in
        error is CancellationError ? .cancelled : .failure
    }

    /// Makes a configuration; everything has a default. The closures are set as properties.
    public init(
        mode: Mode = .enforcing,
        window: Window = .count(100),
        minimumCalls: Int = 20,
        failureRateThreshold: Double? = 0.5,
        consecutiveFailures: Int? = nil,
        slowCallDuration: Duration? = nil,
        slowCallRateThreshold: Double = 1,
        openDuration: Duration = .seconds(5),
        openDurationGrowth: Double = 2,
        openDurationCap: Duration = .seconds(300),
        openDurationJitter: Double = 0.1,
        toldOpenLimit: Duration = .seconds(3_600),
        halfOpenPermits: Int = 1,
        halfOpenTimeLimit: Duration = .seconds(30),
        ramp: Ramp? = nil
    ) {
        self.mode = mode
        self.window = window
        self.minimumCalls = minimumCalls
        self.failureRateThreshold = failureRateThreshold
        self.consecutiveFailures = consecutiveFailures
        self.slowCallDuration = slowCallDuration
        self.slowCallRateThreshold = slowCallRateThreshold
        self.openDuration = openDuration
        self.openDurationGrowth = openDurationGrowth
        self.openDurationCap = openDurationCap
        self.openDurationJitter = openDurationJitter
        self.toldOpenLimit = toldOpenLimit
        self.halfOpenPermits = halfOpenPermits
        self.halfOpenTimeLimit = halfOpenTimeLimit
        self.ramp = ramp
    }
}

/// A closure with an identity, which stands in for the equality that closures do not have.
private struct Judge<Body: Sendable>: Sendable, Equatable {
    private final class Identity: Sendable {}

    let body: Body
    /// Nil for what is the same in every configuration.
    private let identity: Identity?

    init(_ body: Body, isStandard: Bool = false) {
        self.body = body
        identity = isStandard ? nil : Identity()
    }

    static func == (left: Judge, right: Judge) -> Bool {
        left.identity === right.identity
    }
}
