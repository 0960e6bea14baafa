// SPDX-License-Identifier: Apache-2.0

/// Why a circuit breaker went from one state to another. More reasons may be added.
public struct TransitionReason: Hashable, Sendable, CustomStringConvertible {
    /// One byte, so that a rejection which carries it is cheap.
    enum Kind: String, Sendable, CaseIterable {
        case failureRate = "failure_rate"
        case slowRate = "slow_rate"
        case consecutiveFailures = "consecutive_failures"
        case predicate
        case serverTold = "server_told"
        case operatorOrdered = "operator"
        case reconfigured
        case openTimeOver = "open_time_over"
        case probesPassed = "probes_passed"
        case probesFailed = "probes_failed"
        case probesSlow = "probes_slow"
        case probeTimedOut = "probe_timed_out"
        case rampComplete = "ramp_complete"
    }

    let kind: Kind

    /// The share of failures in the window reached its threshold.
    public static let failureRate = TransitionReason(kind: .failureRate)
    /// The share of slow calls, those in flight included, reached its threshold.
    public static let slowRate = TransitionReason(kind: .slowRate)
    /// So many calls in succession failed.
    public static let consecutiveFailures = TransitionReason(kind: .consecutiveFailures)
    /// The configuration's own predicate asked for it.
    public static let predicate = TransitionReason(kind: .predicate)
    /// A call's outcome carried the time for which the server does not want to be called.
    public static let serverTold = TransitionReason(kind: .serverTold)
    /// The program called `forceOpen`, `disable`, `reset` or `open(for:)`.
    public static let operatorOrdered = TransitionReason(kind: .operatorOrdered)
    /// The mode was changed by `reconfigure`.
    public static let reconfigured = TransitionReason(kind: .reconfigured)
    /// The open time is over: the next call probes.
    public static let openTimeOver = TransitionReason(kind: .openTimeOver)
    /// Enough probes succeeded.
    public static let probesPassed = TransitionReason(kind: .probesPassed)
    /// Too many probes failed.
    public static let probesFailed = TransitionReason(kind: .probesFailed)
    /// Too many probes were slow.
    public static let probesSlow = TransitionReason(kind: .probesSlow)
    /// A probe had not settled within the half-open time limit.
    public static let probeTimedOut = TransitionReason(kind: .probeTimedOut)
    /// The share of admitted calls has grown to all of them.
    public static let rampComplete = TransitionReason(kind: .rampComplete)

    /// The reason as metrics label it, such as `failure_rate`.
    public var description: String { kind.rawValue }
}

extension TransitionReason: Codable {
    /// Reads a reason by its description.
    ///
    /// - Throws: `DecodingError` for a reason that this version does not know.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let kind = Kind(rawValue: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no transition reason.")
        }
        self.kind = kind
    }

    /// Writes the description.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(kind.rawValue)
    }
}
