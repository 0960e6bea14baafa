// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
internal import Foundation

/// An error of an ``Outbox`` or a ``SyncEngine``.
public struct OfflineError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func invalid(_ setting: String, _ value: some Any, _ rule: String) -> Self {
        OfflineError(.invalidOfflineSetting, "\(setting) is \(value): \(rule).")
    }

    static func full(_ outbox: String, _ limit: String) -> Self {
        OfflineError(
            .outboxFull,
            "The outbox \(outbox) is full: it keeps at most \(limit). The change was not added, and nothing was dropped."
        )
    }

    static func duplicate(_ id: UUID, in outbox: String) -> Self {
        OfflineError(.changeInOutbox, "The outbox \(outbox) already has a change with the id \(id).")
    }

    static func unknown(_ id: UUID, in outbox: String, _ state: String) -> Self {
        OfflineError(.changeNotFound, "The outbox \(outbox) has no change \(id) that is \(state).")
    }

    static func unreadable(_ keys: [StorageKey], in outbox: String, cause: (any Error)?) -> Self {
        let names = keys.prefix(3).map(\.name).joined(separator: ", ") + (keys.count > 3 ? ", ..." : "")
        return OfflineError(
            .outboxUnreadable,
            "\(keys.count) records of the outbox \(outbox) cannot be read: \(names). They stay in the storage, and are"
                + " not sent." + (cause.map { " The first error: \(String(clause: $0))." } ?? ""),
            cause: cause
        )
    }

    static func overdue(_ change: PendingChange, in outbox: String, _ call: String, limit: Duration) -> Self {
        OfflineError(
            .sendOverdue,
            "The call \(call) for the change \(change.kind) \(change.id) of the outbox \(outbox) has not ended, although it"
                + " was cancelled after \(limit)."
        )
    }

    static func setAside(
        _ change: PendingChange,
        in outbox: String,
        because reason: String,
        cause: (any Error)?
    ) -> Self {
        OfflineError(
            .changeSetAside,
            "The change \(change.kind) \(change.id) of the outbox \(outbox) was set aside: \(reason).",
            cause: cause
        )
    }
}
