// SPDX-License-Identifier: Apache-2.0

/// The states of a client over time: first the current one, then every change in the order of mutation.
///
/// ```swift
/// for try await state in client.stateStream {
///     render(state)
/// }
/// ```
///
/// **Subscribers.** Each `makeAsyncIterator()`, and so each `for` loop, is a subscription of its own, which begins
/// with the state current at that moment. Subscribers do not affect each other. Copies of an iterator share its
/// subscription.
///
/// **A slow subscriber.** Up to 10 states wait as they came. When more come, those published as
/// ``StateDelivery/latest`` collapse into the newest; those published as ``StateDelivery/critical`` stay, in order,
/// up to 1,000. One critical state more is dropped: the subscription takes in no further states, delivers what is
/// pending, and then throws ``ErrorCode/subscriberStalled``.
///
/// **The end.** The sequence ends when the store finishes or goes away, after what is pending was delivered. When
/// the task that iterates is cancelled it ends at once: the call returns nil, waiting or not, and pending states are
/// given up, critical ones too. An iterator that is let go of leaves nothing behind in the store.
public struct StateStream<S: OwnedState>: AsyncSequence, Sendable {
    /// A state of the client.
    public typealias Element = S

    /// The subscriber stalled, iterated twice at a time, or an update re-entered its store.
    public typealias Failure = StateError

    private enum Source {
        case store(StateStorage<S>)
        case states([S])
    }

    private let source: Source

    init(storage: StateStorage<S>) {
        source = .store(storage)
    }

    /// A stream that delivers `states`, all of them and in order, to each subscriber and then ends: for previews and
    /// test doubles. For control over timing use a ``StateStore`` and its stream.
    public init(states: [S]) {
        source = .states(states)
    }

    /// A stream that delivers `state` to each subscriber and then ends: for previews and test doubles.
    public static func just(_ state: S) -> StateStream {
        StateStream(states: [state])
    }

    /// Subscribes: the iterator's first state is the one current now.
    ///
    /// Costs the store's lock and a few small allocations.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .store(let storage): AsyncIterator(cursor: storage.subscribe())
        case .states(let states): AsyncIterator(cursor: Self.replay(states))
        }
    }

    private static func replay(_ states: [S]) -> StateCursor<S> {
        var buffer = Subscription.Buffer(limits: .unlimited)
        for state in states {
            // Critical, so that a batch carries each of them.
            _ = buffer.append(Subscription.Entry(element: StateSnapshot(state), isCritical: true, publishedAt: nil))
        }
        return StateCursor(Subscription(buffer, ending: .finished), fanout: nil)
    }
}

extension StateStream {
    /// One subscription. Use it from one task at a time; let go of it to unsubscribe.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let cursor: StateCursor<S>

        /// Whether further states can come.
        var isOpen: Bool { cursor.isOpen }

        /// Waits for a state and takes the oldest pending one; nil at the end or when the task is cancelled.
        /// This is what a `for` loop calls. It stays on the caller's actor, which it leaves only to wait.
        ///
        /// - Throws: ``StateError``; after the error that ended the subscription, nil follows.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StateError) -> S? {
            try await cursor.next(isolation: actor)
        }

        /// Waits for a state and takes all that is pending: every critical state in order and the latest. Nil at the
        /// end or when the task is cancelled.
        ///
        /// It stays on the caller's actor, which it leaves only to wait: a consumer on the main actor pays one hop
        /// per batch, however many states came meanwhile.
        ///
        /// - Throws: ``StateError``; after the error that ended the subscription, nil follows.
        public mutating func nextBatch(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StateError) -> StateBatch<S>? {
            try await cursor.nextBatch(isolation: actor)
        }
    }
}
