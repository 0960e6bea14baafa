// SPDX-License-Identifier: Apache-2.0

/// Receives the events of the state store of one client.
///
/// The calls come concurrently from the threads that update the store or take from a stream, never with a lock of the
/// store held. They are part of the update's cost: record and return.
public protocol StateProbe: OperationProbe {
    /// An update changed the state. Called once for each change, regardless of subscribers; an equal state is not a
    /// change.
    func stateUpdated()

    /// `count` states (1 or more) were replaced by later ones before a subscriber had taken them.
    ///
    /// Summed over subscribers: a state that two subscribers miss counts as two. For each subscriber, the states
    /// delivered plus the states coalesced are the states offered: its first one and every update since.
    func statesCoalesced(_ count: Int)

    /// A subscriber took a state or a batch, `nanoseconds` after the oldest mutation that it had not seen.
    ///
    /// Called once for each `next()` or `nextBatch()` that delivers a mutation; the first state of a subscription is
    /// not a mutation. Coalesced states count: a slow subscriber is reported as slow, even if it gets a fresh state.
    func statePropagated(nanoseconds: Int64)

    /// A subscription ended because its subscriber left 1,000 critical states untaken; `dropped` more did not fit.
    /// The pending states are still delivered.
    func subscriberStalled(dropped: Int)

    /// The client's store was made.
    ///
    /// - Parameter state: Returns the current state; nil if the store was released. Waits for an update that is under
    ///   way.
    func storeMade(state: @escaping @Sendable () -> (any OwnedState)?)
}

extension StateProbe {
    /// Does nothing.
    public func storeMade(state: @escaping @Sendable () -> (any OwnedState)?) {}
}
