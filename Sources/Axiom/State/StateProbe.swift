// SPDX-License-Identifier: Apache-2.0

/// What instrumentation learns from the state store of one client.
///
/// The calls come from whichever thread updates the store or takes from a stream, several at a time, never with one
/// of the store's locks held. They are part of the update's cost: record and return.
public protocol StateProbe: OperationProbe {
    /// An update changed the state. Once per change, subscribers or not; an equal state is no change.
    func stateUpdated()

    /// `count` states (1 or more) were replaced by later ones before a subscriber had taken them.
    ///
    /// Summed over subscribers: a state that two subscribers miss counts as two. For each subscriber, states
    /// delivered plus states coalesced are the states offered: its first one and every update since.
    func statesCoalesced(_ count: Int)

    /// A subscriber took a state or a batch, `nanoseconds` after the oldest mutation that it had not seen.
    ///
    /// Once per `next()` or `nextBatch()` that delivers a mutation; the state a subscription starts with is none.
    /// States coalesced on the way count: a slow subscriber shows as slow, however fresh the state that it gets.
    func statePropagated(nanoseconds: Int64)

    /// A subscription ended because its subscriber left 1,000 critical states untaken; `dropped` more did not fit.
    /// What was pending is still delivered.
    func subscriberStalled(dropped: Int)

    /// The client's store was made.
    ///
    /// - Parameter state: The present state, for whoever wants to look at it now and then; nil when the store is gone.
    ///   It waits for an update that is under way.
    func storeMade(state: @escaping @Sendable () -> (any OwnedState)?)
}

extension StateProbe {
    /// Keeps nothing.
    public func storeMade(state: @escaping @Sendable () -> (any OwnedState)?) {}
}
