// SPDX-License-Identifier: Apache-2.0

/// The state of a circuit breaker, to go on in another process or after a restart.
///
/// Times are kept relative to the export, whose wall-clock time is kept with them: what is left of an open time and the
/// age of calls go on while nobody runs. Calls that were in flight are gone with their process: they are not counted,
/// and probes give their permits back. The time in which nobody ran belongs to no state.
///
/// Encode it as you like; the coding keys are the names of the properties.
public struct CircuitRecord: Codable, Hashable, Sendable {
    /// Some calls of a time window that ended together.
    public struct Calls: Codable, Hashable, Sendable {
        /// Nanoseconds before the export.
        public let age: Int64
        /// How many.
        public let calls: UInt32
        /// Of these, the failures.
        public let failures: UInt32
        /// Of these, the slow ones.
        public let slow: UInt32
    }

    /// What became of calls, as in ``CircuitCounts``.
    public struct Totals: Codable, Hashable, Sendable {
        /// See ``CircuitCounts/success``.
        public let success: Int
        /// See ``CircuitCounts/failure``.
        public let failure: Int
        /// See ``CircuitCounts/ignored``.
        public let ignored: Int
        /// See ``CircuitCounts/cancelled``.
        public let cancelled: Int
        /// See ``CircuitCounts/rejected``.
        public let rejected: Int
        /// See ``CircuitCounts/slow``.
        public let slow: Int
        /// See ``CircuitCounts/shadowRejections``.
        public let shadowRejections: Int
        /// See ``CircuitCounts/stale``.
        public let stale: Int
    }

    /// How often a transition was made.
    public struct Transitions: Codable, Hashable, Sendable {
        /// The transition.
        public let edge: CircuitEdge
        /// How often it was made.
        public let count: Int
        /// How often it would have been made, in shadow mode.
        public let shadowCount: Int
    }

    /// What the probes of a half-open phase have found so far.
    public struct Probes: Codable, Hashable, Sendable {
        /// Those that succeeded.
        public let passed: Int
        /// Those that failed.
        public let failed: Int
        /// Of both, the slow ones.
        public let slow: Int
    }

    /// The version of this layout: 1.
    public let version: Int
    /// The name of the breaker that was exported. It may be imported under another.
    public let name: String
    /// When it was exported, in seconds since 1970.
    public let exportedAt: Double
    /// Forced open or disabled, where an operator ordered it; else what the breaker decided.
    public let state: CircuitState
    /// Permits of the process that exported it were of this generation or an earlier one.
    public let generation: UInt64
    /// What was left of the open time, in nanoseconds; nil unless it was open.
    public let openRemaining: Int64?
    /// The open time that comes next, in nanoseconds, before jitter.
    public let nextOpenTime: Double
    /// Why it opened last.
    public let openedBecause: TransitionReason
    /// Half open; nil unless it was and waited for probes.
    public let probes: Probes?
    /// Since when calls were readmitted step by step, in nanoseconds before the export; nil unless they were.
    public let rampAge: Int64?
    /// The age of the window, in nanoseconds.
    public let windowAge: Int64
    /// The calls of a count window, oldest first, a digit for each: 1 for a failure plus 2 for a slow call; nil for a
    /// time window.
    public let marks: String?
    /// The calls of a time window, oldest first; nil for a count window.
    public let calls: [Calls]?
    /// Failures since the last success.
    public let consecutiveFailures: Int
    /// All calls.
    public let totals: Totals
    /// Nanoseconds in each state, by its raw value.
    public let timeInState: [String: Int64]
    /// The transitions that were made.
    public let transitions: [Transitions]
}
