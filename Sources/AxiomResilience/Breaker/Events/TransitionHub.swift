// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Tells subscribers and observers of transitions, in the order in which they were made.
final class TransitionHub: Sendable {
    typealias Observer = @Sendable (CircuitTransition) -> Void

    private struct State {
        var nextID = 0
        var observers: [(id: Int, body: Observer)] = []
        var streams: [Int: AsyncStream<CircuitTransition>.Continuation] = [:]
        /// What is to be told, while one thread is busy telling.
        var queue: [CircuitTransition] = []
        var isTelling = false
        var isFinished = false
        var dropped = 0
    }

    /// How many transitions wait while an observer is slow; what comes beyond them is dropped.
    static let queueLimit = 1_024

    /// Every field of the state is guarded by this lock. The breaker's own is taken inside it, never the other way
    /// round; observers run outside both.
    private let state = Lock(State())

    var subscriberCount: Int { state.withLock { $0.streams.count } }

    /// Transitions that were not told to someone who should have been.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Tells of what `take` gives. It is taken under the lock, so that two threads cannot swap what they took.
    func publish(_ take: () -> [CircuitTransition]) {
        let mustTell = state.withLock { state in
            let news = take()
            guard !(state.observers.isEmpty && state.streams.isEmpty) else { return false }
            let room = max(0, Self.queueLimit - state.queue.count)
            state.queue += news.prefix(room)
            state.dropped += max(0, news.count - room)
            guard !state.isTelling, !state.queue.isEmpty else { return false }
            state.isTelling = true
            return true
        }
        if mustTell { tellAll() }
    }

    private func tellAll() {
        while let (batch, observers, streams) = nextBatch() {
            var missed = 0
            for transition in batch {
                for observer in observers { observer.body(transition) }
                for stream in streams {
                    if case .dropped = stream.yield(transition) { missed += 1 }
                }
            }
            if missed > 0 { state.withLock { $0.dropped += missed } }
        }
    }

    private func nextBatch() -> (
        [CircuitTransition], [(id: Int, body: Observer)], [AsyncStream<CircuitTransition>.Continuation]
    )? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.isTelling = false
                return nil
            }
            defer { state.queue = [] }
            return (state.queue, state.observers, Array(state.streams.values))
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

    /// Ends all subscriptions, after what is pending was delivered.
    func finish() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            state.isFinished = true
            return state.streams.values.map { $0 }
        }
        for stream in streams { stream.finish() }
    }

    /// Closures and continuations are let go of outside the lock, as that may run code.
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
