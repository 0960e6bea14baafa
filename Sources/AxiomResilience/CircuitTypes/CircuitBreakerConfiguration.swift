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
/// The initializer of the breaker checks it. Two configurations are equal if their values are equal and their ``classify`` was
/// set by the same assignment, because closures cannot be compared.
public struct CircuitBreakerConfiguration: Sendable, Equatable {
    /// Whether the breaker rejects calls.
    public enum Mode: String, Sendable, Hashable, Codable {
        /// It rejects calls.
        case enforcing
        /// It admits every call, and counts and reports what it would have done.
        case shadow
    }

    /// The calls that the rules of the breaker apply to.
    public struct Window: Sendable, Hashable {
        enum Extent: Hashable, Sendable {
            case calls(Int)
            case nanoseconds(Int64)
        }

        let extent: Extent

        /// The last `calls` calls that succeeded or failed, 1...1,000,000. Memory: one byte per call.
        public static func count(_ calls: Int) -> Window { Window(extent: .calls(calls)) }

        /// The calls that ended less than `length` ago, 1 ms to 1 day. Exact to the nanosecond while the window contains no
        /// more than 1,000 different instants. With more, a call may stay for 1/512 of the length too long. Memory: 24
        /// bytes per instant, 96 KiB at most.
        public static func time(_ length: Duration) -> Window {
            Window(extent: .nanoseconds(length.clampedNanoseconds))
        }

        /// The size of a count window; nil for a time window.
        package var callCapacity: Int? {
            if case .calls(let calls) = extent { return calls }
            return nil
        }
    }

    /// Readmits calls gradually after the probes have succeeded.
    public struct Ramp: Sendable, Hashable {
        let duration: Duration
        let initialShare: Double

        /// Creates a ramp.
        ///
        /// - Parameters:
        ///   - duration: How long it takes until all calls are admitted, more than 0.
        ///   - initialShare: The initial share of admitted calls, more than 0 and less than 1. The share grows linearly
        ///     with time.
        public init(duration: Duration, initialShare: Double = 0.1) {
            self.duration = duration
            self.initialShare = initialShare
        }
    }

    /// Whether the breaker rejects calls. Default: ``Mode/enforcing``.
    public var mode: Mode
    /// The calls that the rules apply to. Default: the last 100 (as in resilience4j).
    public var window: Window
    /// The minimum number of calls for a ratio. Default: 20 (as in Hystrix). At least 1, and at most the size of a count
    /// window. The rule of consecutive failures does not depend on it.
    public var minimumCalls: Int
    /// The share of failures that opens the breaker, more than 0 and at most 1. Default: 0.5 (as in resilience4j and
    /// Hystrix). In the half-open state it applies to the probes. Nil: no such rule, and a single failed probe opens the
    /// breaker again.
    public var failureRateThreshold: Double?
    /// The number of consecutive failures that opens the breaker, at least 1. Nil, the default: no such rule.
    public var consecutiveFailures: Int?
    /// A call that takes this long or longer is slow; more than 0. A call in flight becomes slow when it has taken this
    /// long. Nil, the default: no call is slow, and the breaker reads the clock less often.
    public var slowCallDuration: Duration?
    /// The share of slow calls that opens the breaker, more than 0 and at most 1. Default: 1 (as in resilience4j). In the
    /// half-open state it applies to the probes.
    public var slowCallRateThreshold: Double
    /// How long the breaker stays open, more than 0. Default: 5 s (as in Hystrix, Polly and SmallRye).
    public var openDuration: Duration
    /// The factor by which the open time grows each time that the breaker opens again without having closed, at least 1.
    /// Default: 2.
    public var openDurationGrowth: Double
    /// The limit of that growth, at least ``openDuration``. Default: 300 s (as in Envoy and Finagle).
    public var openDurationCap: Duration
    /// The maximum random addition to the open time, as a share of it, 0...1, so that not all processes probe at the same
    /// time. Default: 0.1. It is also added to ``openDurationCap``, but not to an open time that a server requested.
    public var openDurationJitter: Double
    /// The limit for an open time that a server requests, more than 0, so that no server can disable a client for good.
    /// Default: 1 hour.
    public var retryAfterLimit: Duration
    /// The number of probes that decide whether to close, 1...1,000. Default: 1 (as in most breakers).
    public var halfOpenPermits: Int
    /// How long a probe may take, more than 0. Default: 30 s. A probe that takes longer counts as failed, so that the
    /// breaker cannot stay half open forever.
    public var halfOpenTimeLimit: Duration
    /// How calls are readmitted after the probes have succeeded. Nil, the default: all at once.
    public var ramp: Ramp?

    private var classifier = Classifier(Self.standardClassification, isStandard: true)

    /// Classifies an error, in the task of the call. The default is ``standardClassification``: a `CancellationError` is a
    /// cancellation if the caller was cancelled. Any other error is a failure, also a `CancellationError` of an operation
    /// whose caller was not cancelled.
    ///
    /// If the deadline of a ``Timeout`` around the breaker expires during the call, the argument is the
    /// ``TimeoutError`` of that deadline, unless the call has failed anyway. The order of breaker and timeout therefore
    /// makes no difference. A time limit of another kind around the breaker, such as a task group of your own, looks like
    /// a cancellation by the caller.
    public var classify: @Sendable (_ error: any Error) -> CallOutcome {
        get { classifier.body }
        set { classifier = Classifier(newValue) }
    }

    /// The default of ``classify``. It reads whether the current task is cancelled.
    public static let standardClassification: @Sendable (_ error: any Error) -> CallOutcome = { error in
        Cancellation.isIntended(error) ? .cancelled : .failure
    }

    /// Creates a configuration. Set ``classify`` as a property.
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
        retryAfterLimit: Duration = .seconds(3_600),
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
        self.retryAfterLimit = retryAfterLimit
        self.halfOpenPermits = halfOpenPermits
        self.halfOpenTimeLimit = halfOpenTimeLimit
        self.ramp = ramp
    }
}

/// A classification with an identity, because closures cannot be compared.
private struct Classifier: Sendable, Equatable {
    private final class Identity: Sendable {}

    let body: @Sendable (any Error) -> CallOutcome
    /// Nil for the standard closure, which is the same in every configuration.
    private let identity: Identity?

    init(_ body: @escaping @Sendable (any Error) -> CallOutcome, isStandard: Bool = false) {
        self.body = body
        identity = isStandard ? nil : Identity()
    }

    static func == (left: Classifier, right: Classifier) -> Bool {
        left.identity === right.identity
    }
}
