// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The status of an outbox for readers on any thread, and for subscribers.
final class OutboxPublisher: Sendable {
    private struct State {
        var status = OutboxStatus()
        var subscribers: [UInt64: AsyncStream<OutboxStatus>.Continuation] = [:]
        var lastNumber: UInt64 = 0
        var signals: OutboxSignals?
    }

    /// Continuations are finished outside the lock, because their end takes it again.
    private let state = Lock(State())
    private let clock: TimeSource

    init(_ clock: TimeSource) {
        self.clock = clock
    }

    deinit {
        for subscriber in state.withLock({ $0.subscribers.values.map(\.self) }) { subscriber.finish() }
    }

    var status: OutboxStatus { state.withLock { $0.status } }

    /// The status now, and after every change of it. A slow subscriber gets only the newest.
    var updates: AsyncStream<OutboxStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: OutboxStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.subscribers[state.lastNumber] = continuation
            // Under the lock, so that no newer status comes before it. It runs no code of the subscriber.
            continuation.yield(state.status)
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    func publish(_ status: OutboxStatus) {
        let (signals, subscribers) = state.withLock { state in
            state.status = status
            return (state.signals, state.subscribers.values.map(\.self))
        }
        signals?.show(status, at: clock.now)
        for subscriber in subscribers { subscriber.yield(status) }
    }

    /// Shows the status in signals from now on.
    func bind(_ signals: OutboxSignals) {
        state.withLock { $0.signals = signals }
        refresh()
    }

    /// Shows the age of the oldest change now.
    func refresh() {
        let (signals, status) = state.withLock { ($0.signals, $0.status) }
        signals?.show(status, at: clock.now)
    }
}
