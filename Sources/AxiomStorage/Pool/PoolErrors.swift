// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// A ``ConnectionPool`` gave no connection or could not be closed in time, or a ``ResourceBag`` failed.
public struct PoolError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func invalid(_ pool: String, _ setting: String, _ value: Any, _ remedy: String) -> Self {
        PoolError(
            .invalidPool,
            "The pool \"\(pool)\" has the \(setting) \(value).",
            recoverySuggestion: "\(setting) has to be \(remedy)."
        )
    }

    static func timedOut(_ pool: String, _ limit: Duration, _ counts: PoolCounts, limit connections: Int) -> Self {
        let phases = PoolPhase.allCases.filter { counts[$0] > 0 }.map { "\(counts[$0]) \($0.clause)" }
        let state = phases.isEmpty ? "none exists" : phases.joined(separator: ", ")
        return PoolError(
            .poolTimedOut,
            "The pool \"\(pool)\" had no free connection within \(limit): of at most \(connections), \(state)."
        )
    }

    static func closed(_ pool: String) -> Self {
        PoolError(.poolClosed, "The pool \"\(pool)\" is closed.")
    }

    static func overdue(_ pool: String, _ limit: Duration, _ phases: [Int: PoolPhase]) -> Self {
        let names = phases.sorted { $0.key < $1.key }.map { "connection \($0.key) (\($0.value.clause))" }
        return PoolError(
            .connectionsOverdue,
            "The pool \"\(pool)\" was not closed within \(limit). Overdue: \(names.joined(separator: ", "))."
        )
    }

    /// - Parameter body: The error of the work with the resources, if it failed too.
    static func releaseFailed(
        _ bag: String,
        _ failures: [(name: String, error: any Error)],
        after body: (any Error)? = nil
    ) -> Self {
        let list = failures.map { "\($0.name): \(String(clause: $0.error))" }.joined(separator: "; ")
        let count = failures.count == 1 ? "1 resource" : "\(failures.count) resources"
        let reason = body.map { " Before that, the work with them failed: \(String(clause: $0))." } ?? ""
        return PoolError(
            .releaseFailed,
            "The release of \(count) of the bag \"\(bag)\" failed: \(list).\(reason)",
            cause: body ?? failures.first?.error
        )
    }

    static func bagReleased(_ bag: String, _ resource: String) -> Self {
        PoolError(.bagReleased, "\(resource) was acquired for the bag \"\(bag)\", which was released before.")
    }
}
