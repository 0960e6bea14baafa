// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The signals of one sync engine. Bound once.
struct SyncSignals: Sendable {
    /// What became of an attempt to send a change.
    enum Outcome: String, Sendable, CaseIterable {
        /// The server accepted the change.
        case sent
        /// The attempt failed; the change is sent again.
        case failed
        /// A conflict: the change is sent again with another payload.
        case keptLocal = "kept_local"
        /// A conflict: the change was given up.
        case tookRemote = "took_remote"
        /// The change is not sent any more.
        case setAside = "set_aside"
        /// The attempt did not end at its time limit. Its change is counted again when it ends.
        case overdue
    }

    static let changes = SignalFamily(
        "axiom_sync_changes_total",
        .counter,
        help: "Attempts to send a change of an outbox, by what became of the change.",
        labels: ["queue", "outcome"]
    )
    static let duration = SignalFamily(
        "axiom_sync_duration_seconds",
        .seconds,
        help: "Time of one attempt to send a change, until the server answered or the attempt failed.",
        labels: ["queue"]
    )

    private let outcomes: [Outcome: any Signal]
    private let duration: (any Signal)?

    init(_ identity: ComponentIdentity?, queue: String) {
        outcomes = Self.changes.signals(after: [queue]) { identity?.signal($0, $1) }
        duration = identity?.signal(Self.duration, [queue])
    }

    func ended(_ outcome: Outcome) { outcomes[outcome]?.increment() }
    func took(nanoseconds: Int64) { duration?.observe(nanoseconds: nanoseconds) }
}

extension SyncMachine.Verdict {
    /// What is counted; nil for a change that was not attempted or whose fate is still open.
    var outcome: SyncSignals.Outcome? {
        switch self {
        case .accepted: .sent
        case .tookRemote: .tookRemote
        case .keptLocal: .keptLocal
        case .setAside: .setAside
        case .postpone, .release(.some): .failed
        case .resolve, .release(.none): nil
        }
    }
}
