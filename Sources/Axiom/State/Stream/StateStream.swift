// SPDX-License-Identifier: Apache-2.0

/// The states of a client over time: first the current one, then every change in the order of mutation.
///
/// ```swift
/// for try await state in client.stateStream {
///     render(state)
/// }
/// ```
///
/// **Subscribers.** Each `makeAsyncIterator()`, and therefore each `for` loop, makes a separate subscription, which
/// begins with the state current at that moment. Subscribers do not affect each other. Copies of an iterator share its
/// subscription.
///
/// **Slow subscribers.** Up to 10 states wait unchanged. If more arrive, those published as ``StateDelivery/latest``
/// are coalesced into the newest. Those published as ``StateDelivery/critical`` stay, in order, up to 1,000. One
/// critical state more is dropped: the subscription accepts no further states, delivers the pending ones, and then
/// throws ``ErrorCode/subscriberStalled``.
///
/// **The end.** The sequence ends when the store finishes or is released, after the pending states are delivered. If
/// the iterating task is cancelled, the sequence ends at once: the call returns nil, whether or not it waits, and
/// pending states are discarded, including critical ones. An iterator that is released leaves nothing in the store. A
/// subscriber that must not lose critical states iterates from a ``checkpoint()`` instead; a context that observes a
/// client does so.
public struct StateStream<S: OwnedState>: AsyncSequence, Sendable {
    /// A state of the client.
    public typealias Element = S

    /// The subscriber stalled, or called its iterator concurrently.
    public typealias Failure = StateError

    private enum Source {
        case store(StateStorage<S>)
        case states([S])
    }

    private let source: Source

    init(storage: StateStorage<S>) {
        source = .store(storage)
    }

    /// The store's storage; nil for a fixed list of states.
    var storage: StateStorage<S>? {
        switch source {
        case .store(let storage): storage
        case .states: nil
        }
    }

    /// The ``StateStore/id`` of the store; nil for a fixed list of states.
    var storeID: ObjectIdentifier? { storage.map { ObjectIdentifier($0) } }

    /// A stream that delivers all `states` in order to each subscriber and then ends, for previews and test doubles. To
    /// control the timing, use a ``StateStore`` and its stream.
    package init(states: [S]) {
        source = .states(states)
    }

    /// A stream that delivers `state` to each subscriber and then ends, for previews and test doubles.
    public static func just(_ state: S) -> StateStream {
        StateStream(states: [state])
    }

    /// Subscribes: the iterator's first state is the one current now.
    ///
    /// Costs the store's lock and a few small allocations.
    public func makeAsyncIterator() -> AsyncIterator {
        makeAsyncIterator(for: nil)
    }

    /// Subscribes under the name of a context.
    func makeAsyncIterator(for component: ComponentDescriptor?) -> AsyncIterator {
        switch source {
        case .store(let storage): AsyncIterator(cursor: storage.subscribe(by: component))
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

    /// One subscription. Use it from one task at a time. Release it to unsubscribe.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let cursor: StateCursor<S>

        /// Waits for a state and takes the oldest pending one. Returns nil at the end or if the task is cancelled. A
        /// `for` loop calls this. It stays on the caller's actor, which it leaves only to wait.
        ///
        /// - Throws: ``StateError``. After the error that ended the subscription, it returns nil.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StateError) -> S? {
            try await cursor.next(isolation: actor)
        }

        /// Waits for a state and takes all pending ones: every critical state in order, then the latest. Returns nil at
        /// the end or if the task is cancelled.
        ///
        /// It stays on the caller's actor, which it leaves only to wait: a consumer on the main actor pays one hop per
        /// batch, regardless of the number of states.
        ///
        /// - Throws: ``StateError``. After the error that ended the subscription, it returns nil.
        public mutating func nextBatch(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StateError) -> StateBatch<S>? {
            try await cursor.nextBatch(isolation: actor)
        }
    }
}

/// The states that waited for a subscriber, taken together: every critical one in the order of mutation, then the
/// latest. Never empty.
///
/// A subscriber on the main actor pays one hop for a batch, not one for each state.
public struct StateBatch<S: OwnedState>: Sendable {
    /// The critical states before ``latest``.
    private let earlier: [S]

    /// The newest state, critical or not.
    public let latest: S

    /// The number of states that later ones replaced since the previous delivery to this subscriber (0 or more).
    public let coalesced: Int

    init(earlier: [S] = [], latest: S, coalesced: Int) {
        self.earlier = earlier
        self.latest = latest
        self.coalesced = coalesced
    }
}

extension StateBatch: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// The number of states in the batch: 1 or more.
    public var endIndex: Int { earlier.count + 1 }

    /// The state at `position`, where `endIndex - 1` is the latest. As with an array, `position` has to be an index.
    public subscript(position: Int) -> S {
        position == earlier.count ? latest : earlier[position]
    }
}

extension StateBatch: Equatable, Hashable {}
