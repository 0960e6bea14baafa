// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The signals of one outbox. Bound once, by the engine that sends its changes.
struct OutboxSignals: Sendable {
    static let changes = SignalFamily(
        "axiom_outbox_changes",
        .gauge,
        help: "Changes that the server has not accepted yet: those to be sent and those set aside.",
        labels: ["queue"]
    )
    static let oldest = SignalFamily(
        "axiom_outbox_oldest_seconds",
        .gauge,
        help: "Age of the oldest change that the server has not accepted yet; 0 if there is none.",
        labels: ["queue"]
    )

    private let changes: (any Signal)?
    private let oldest: (any Signal)?

    init(_ identity: ComponentIdentity, queue: String) {
        changes = identity.signal(Self.changes, [queue])
        oldest = identity.signal(Self.oldest, [queue])
    }

    func show(_ status: OutboxStatus, at now: Instant) {
        changes?.set(Double(status.pending + status.setAside))
        oldest?.set(status.oldest.map { max(0, now.seconds(since: $0)) } ?? 0)
    }
}
