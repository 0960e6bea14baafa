// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// How an action ended.
enum Outcome: Hashable, Sendable {
    case success
    case failure
    case cancelled
    /// Refused before it ran, by a circuit breaker.
    case rejected

    /// The outcome of a call that threw `error`.
    init(of error: any Error) {
        self =
            switch error {
            case _ where ActionOutcome(ofError: error) == .cancelled: .cancelled
            case is any Refusal: .rejected
            default: .failure
            }
    }
}

/// How many actions had each outcome.
struct Outcomes: Codable, Hashable, Sendable {
    var success = 0
    var failure = 0
    var cancelled = 0
    var rejected = 0

    init(success: Int = 0, failure: Int = 0, cancelled: Int = 0, rejected: Int = 0) {
        self.success = success
        self.failure = failure
        self.cancelled = cancelled
        self.rejected = rejected
    }

    var total: Int { success + failure + cancelled + rejected }

    mutating func add(_ outcome: Outcome) {
        switch outcome {
        case .success: success += 1
        case .failure: failure += 1
        case .cancelled: cancelled += 1
        case .rejected: rejected += 1
        }
    }
}

/// Counts the actions of each component: those that have begun, and those that ended, by outcome.
final class OutcomeTable: Sendable {
    struct Row: Hashable, Sendable {
        var outcomes = Outcomes()
        var inFlight = 0
    }

    /// Guarded by the lock. An action leaves `inFlight` in the same step in which its outcome is counted.
    private let rows: Lock<[String: Row]>

    /// Creates a table that lists every component from the start, each with 0.
    init(names: [String]) {
        rows = Lock(Dictionary(uniqueKeysWithValues: names.map { ($0, Row()) }))
    }

    /// An action of `name` begins.
    func begin(_ name: String) {
        rows.withLock { $0[name, default: Row()].inFlight += 1 }
    }

    /// An action of `name` that began has ended.
    func end(_ name: String, _ outcome: Outcome) {
        rows.withLock { rows in
            rows[name]?.outcomes.add(outcome)
            rows[name]?.inFlight -= 1
        }
    }

    /// All rows at one moment.
    var reading: [String: Row] {
        rows.withLock { $0 }
    }
}

/// Counts how often each presentation was mounted and unmounted.
final class MountTable: Sendable {
    struct Counts: Codable, Hashable, Sendable {
        var mounted = 0
        var unmounted = 0
    }

    /// Guarded by the lock.
    private let rows = Lock<[String: Counts]>([:])

    func mounted(_ presentation: String) {
        rows.withLock { $0[presentation, default: Counts()].mounted += 1 }
    }

    func unmounted(_ presentation: String) {
        rows.withLock { $0[presentation, default: Counts()].unmounted += 1 }
    }

    var counts: [String: Counts] {
        rows.withLock { $0 }
    }
}
