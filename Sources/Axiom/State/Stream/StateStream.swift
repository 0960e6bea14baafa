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
///
/// **Previews and doubles.** `StateStore(state).stream` delivers `state` to each subscriber and then ends.
public struct StateStream<S: OwnedState>: AsyncSequence, Sendable {
    /// A state of the client.
    public typealias Element = S

    /// The subscriber stalled, or called its iterator concurrently.
    public typealias Failure = StateError

    let storage: StateStorage<S>

    /// The ``StateStore/id`` of the store.
    var storeID: ObjectIdentifier { ObjectIdentifier(storage) }

    /// Subscribes: the iterator's first state is the one current now.
    ///
    /// Costs the store's lock and a few small allocations.
    public func makeAsyncIterator() -> AsyncIterator {
        makeAsyncIterator(for: nil)
    }

    /// Subscribes under the name of a context.
    func makeAsyncIterator(for component: ComponentDescriptor?) -> AsyncIterator {
        AsyncIterator(cursor: storage.subscribe(by: component))
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
    }
}
