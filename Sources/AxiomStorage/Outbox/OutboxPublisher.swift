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

    init(_ clock: TimeSource) {
        self.clock = clock
    }

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
    func refresh() {
        state.withLock { $0.signals?.show($0.status, at: clock.now) }
    }
}
