// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The status of an outbox for readers on any thread, and for subscribers.
final class OutboxPublisher: Sendable {
    private struct State {
        var status = OutboxStatus()
        var signals: OutboxSignals?
    }

    private let state = Lock(State())
    private let broadcast = Broadcast(keeping: 1, beginningWith: OutboxStatus())
    private let clock: TimeSource

    init(_ clock: TimeSource) { self.clock = clock }

    var status: OutboxStatus { state.withLock { $0.status } }

    /// The status now, and after every change of it. A slow subscriber gets only the newest.
    var updates: AsyncStream<OutboxStatus> { broadcast.stream() }

    /// Shows the status in the signals first, so that a subscriber who got it finds it there.
    func publish(_ status: OutboxStatus) {
        state.withLock { state in
            state.status = status
            state.signals?.show(status, at: clock.now)
        }
        broadcast.publish(status)
    }

    /// Shows the status in signals from now on.
    func bind(_ signals: OutboxSignals) {
        state.withLock { $0.signals = signals }
        refresh()
    }

    /// Shows the age of the oldest change now.
    func refresh() { state.withLock { $0.signals?.show($0.status, at: clock.now) } }
}

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
