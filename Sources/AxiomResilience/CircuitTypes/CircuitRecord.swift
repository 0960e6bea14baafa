// SPDX-License-Identifier: Apache-2.0

/// The exported state of a circuit breaker, to continue with in another process or after a restart.
///
/// Times are stored relative to the export, together with its wall-clock time. The rest of an open time and the age of
/// calls therefore advance while no process runs. Calls that were in flight at the export are not counted, and probes
/// return their permits. The time between export and import belongs to no state.
///
/// Use any encoder. The coding keys are the names of the properties.
public struct CircuitRecord: Codable, Hashable, Sendable {
    /// Calls of a time window that ended together.
    struct Calls: Codable, Hashable, Sendable {
        /// Nanoseconds before the export.
        let age: Int64
        /// The number of calls.
        let calls: UInt32
        /// How many of them failed.
        let failures: UInt32
        /// How many of them were slow.
        let slow: UInt32
    }

    /// The counts of ``CircuitCounts`` by the same names.
    struct Totals: Codable, Hashable, Sendable {
        let success: Int
        let failure: Int
        let ignored: Int
        let cancelled: Int
        let rejected: Int
        let slow: Int
        let shadowRejections: Int
        let stale: Int
    }

    /// How often a transition was made.
    struct Transitions: Codable, Hashable, Sendable {
        let edge: CircuitEdge
        let count: Int
        /// How often it would have been made in shadow mode.
        let shadowCount: Int
    }

    /// The probes of a half-open breaker that have ended.
    struct Probes: Codable, Hashable, Sendable {
        let passed: Int
        let failed: Int
        /// Slow probes, passed and failed.
        let slow: Int
    }

    /// The version of this layout: 1.
    let version: Int
    /// The name of the breaker that was exported. A breaker with another name can import the record.
    let name: String
    /// When it was exported, in seconds since 1970.
    let exportedAt: Double
    /// Forced open or disabled if an operator had set that; otherwise the decided state.
    let state: CircuitState
    /// The generation at the export. The import continues with a later one.
    let generation: UInt64
    /// The rest of the open time, in nanoseconds; nil unless open.
    let openRemaining: Int64?
    /// The next open time, in nanoseconds, without jitter.
    let nextOpenTime: Double
    /// Why it opened last.
    let openedBecause: TransitionReason
    /// The probes; nil unless half open and waiting for probes.
    let probes: Probes?
    /// The age of the ramp, in nanoseconds; nil without a ramp.
    let rampAge: Int64?
    /// The age of the window, in nanoseconds.
    let windowAge: Int64
    /// The calls of a count window, oldest first, one digit per call: 1 for a failure plus 2 for a slow call; nil for a
    /// time window.
    let marks: String?
    /// The calls of a time window, oldest first; nil for a count window.
    let calls: [Calls]?
    /// Failures since the last success.
    let consecutiveFailures: Int
    /// All calls.
    let totals: Totals
    /// Nanoseconds in each state, by its raw value.
    let timeInState: [String: Int64]
    /// The transitions that were made.
    let transitions: [Transitions]
}
