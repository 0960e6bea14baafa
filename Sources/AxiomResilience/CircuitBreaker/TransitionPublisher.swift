// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Delivers transitions to subscribers and observers, in the order in which they were made.
final class TransitionPublisher: Sendable {
    typealias Observer = @Sendable (CircuitTransition) -> Void

    private struct State {
        var observers: [Observer] = []
        /// The transitions that arrived while a thread is delivering others.
        var queue = BoundedQueue<CircuitTransition>(capacity: TransitionPublisher.queueLimit)
        var missed = 0
    }

    /// How many transitions are queued while an observer is slow. Further ones are dropped.
    static let queueLimit = 1_024

    /// Guards every field of the state. The breaker's lock is acquired inside this one, never the other way round.
    /// Observers run outside of both.
    private let state = Lock(State())
    private let streams = Broadcast<CircuitTransition>(keeping: 256)

    var subscriberCount: Int { streams.count }

    /// Transitions that at least one subscriber or observer has missed.
    var dropped: Int { state.withLock { $0.missed + $0.queue.dropped } }

    /// Delivers the transitions that `take` returns. `take` runs under the lock, so that two threads cannot reorder them.
    func publish(_ take: () -> [CircuitTransition]) {
        let mustDeliver = state.withLock { state in
            let transitions = take()
            guard !(state.observers.isEmpty && streams.isEmpty) else { return false }
            for transition in transitions { state.queue.append(transition) }
            return state.queue.begin()
        }
        if mustDeliver { deliver() }
    }

    private func deliver() {
        while let (transition, observers) = next() {
            // First, so that an observer that subscribes gets the next one, and a slow one delays no subscriber.
            let missed = streams.publish(transition)
            if missed > 0 { state.withLock { $0.missed += missed } }
            for observer in observers { observer(transition) }
        }
    }

    private func next() -> (CircuitTransition, [Observer])? {
        state.withLock { state in state.queue.next().map { ($0, state.observers) } }
    }

    func observe(_ body: @escaping Observer) { state.withLock { $0.observers.append(body) } }

    /// The transitions from now on.
    func subscribe() -> AsyncStream<CircuitTransition> { streams.stream() }

    /// Ends all subscriptions. Subscribers still receive the transitions in their buffers.
    func finish() { streams.finish() }
}
