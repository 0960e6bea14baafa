// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The status of an outbox for readers on any thread, and for subscribers.
final class OutboxPublisher: Sendable {
    private let broadcast = Broadcast(keeping: 1, beginningWith: OutboxStatus())
    private let signals = Lock<OutboxSignals?>(nil)
    private let clock: TimeSource

    init(_ clock: TimeSource) {
        self.clock = clock
    }

    var status: OutboxStatus { broadcast.latest ?? OutboxStatus() }

    /// The status now, and after every change of it. A slow subscriber gets only the newest.
    var updates: AsyncStream<OutboxStatus> { broadcast.stream() }

    /// Shows the status in the signals first, so that a subscriber who got it finds it there.
    func publish(_ status: OutboxStatus) {
        signals.withLock { $0 }?.show(status, at: clock.now)
        broadcast.publish(status)
    }

    /// Shows the status in signals from now on.
    func bind(_ signals: OutboxSignals) {
        self.signals.withLock { $0 = signals }
        refresh()
    }

    /// Shows the age of the oldest change now.
    func refresh() {
        signals.withLock { $0 }?.show(status, at: clock.now)
    }
}
