// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Delivers transitions to subscribers and observers, in the order in which they were made.
final class TransitionPublisher: Sendable {
    typealias Observer = @Sendable (CircuitTransition) -> Void

    private struct State {
        var nextID = 0
        var observers: [(id: Int, body: Observer)] = []
        var streams: [Int: AsyncStream<CircuitTransition>.Continuation] = [:]
        /// The transitions that arrived while a thread is delivering others.
        var queue: [CircuitTransition] = []
        var isDelivering = false
        var isFinished = false
        var dropped = 0
    }

    private struct Batch {
        let transitions: [CircuitTransition]
        let observers: [(id: Int, body: Observer)]
        let streams: [AsyncStream<CircuitTransition>.Continuation]
    }

    /// How many transitions are queued while an observer is slow. Further ones are dropped.
    static let queueLimit = 1_024

    /// Guards every field of the state. The breaker's lock is acquired inside this one, never the other way round.
    /// Observers run outside of both.
    private let state = Lock(State())

    var subscriberCount: Int { state.withLock { $0.streams.count } }

    /// Transitions that at least one subscriber or observer has missed.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Delivers the transitions that `take` returns. `take` runs under the lock, so that two threads cannot reorder them.
    func publish(_ take: () -> [CircuitTransition]) {
        let mustDeliver = state.withLock { state in
            let transitions = take()
            guard !(state.observers.isEmpty && state.streams.isEmpty) else { return false }
            let room = max(0, Self.queueLimit - state.queue.count)
            state.queue += transitions.prefix(room)
            state.dropped += max(0, transitions.count - room)
            guard !state.isDelivering, !state.queue.isEmpty else { return false }
            state.isDelivering = true
            return true
        }
        if mustDeliver { deliver() }
    }

    private func deliver() {
        while let batch = nextBatch() {
            var missed = 0
            for transition in batch.transitions {
                for observer in batch.observers { observer.body(transition) }
                for stream in batch.streams {
                    if case .dropped = stream.yield(transition) { missed += 1 }
                }
            }
            if missed > 0 { state.withLock { $0.dropped += missed } }
        }
    }

    private func nextBatch() -> Batch? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.isDelivering = false
                return nil
            }
            defer { state.queue = [] }
            return Batch(transitions: state.queue, observers: state.observers, streams: Array(state.streams.values))
        }
    }

    func observe(_ body: @escaping Observer) -> CircuitObservation {
        state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            state.observers.append((id, body))
            return CircuitObservation { [weak self] in self?.removeObserver(id) }
        }
    }

    func subscribe(limit: Int) -> AsyncStream<CircuitTransition> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CircuitTransition.self,
            bufferingPolicy: .bufferingNewest(limit)
        )
        let id = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.streams[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.removeStream(id) }
        return stream
    }

    /// Ends all subscriptions. Subscribers still receive the transitions in their buffers.
    func finish() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            state.isFinished = true
            return state.streams.values.map { $0 }
        }
        for stream in streams { stream.finish() }
    }

    // Closures and continuations are released outside of the lock, because a deinitializer may be user code.

    private func removeObserver(_ id: Int) {
        let removed = state.withLock { state in
            let index = state.observers.firstIndex { $0.id == id }
            return index.map { state.observers.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    private func removeStream(_ id: Int) {
        let removed = state.withLock { $0.streams.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}

/// A registered observer of transitions.
package struct CircuitObservation: Sendable {
    private let remove: @Sendable () -> Void

    fileprivate init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    /// Removes the observer. Does not wait for a call of the observer that is in progress.
    package func cancel() {
        remove()
    }
}

/// The transitions of a circuit breaker. Each iterator is a subscription.
struct TransitionEvents: AsyncSequence, Sendable {
    typealias Element = CircuitTransition
    typealias Failure = Never

    let publisher: TransitionPublisher
    let limit: Int

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: publisher.subscribe(limit: limit).makeAsyncIterator())
    }

    /// One subscription, for one task at a time. Ends when it is released.
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<CircuitTransition>.Iterator

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> CircuitTransition? {
            await stream.next(isolation: actor)
        }
    }
}
