// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The work that a fan-out does after it has unlocked.
struct StateEffects: Sendable {
    /// The times of a timed update.
    struct Timing: Sendable {
        /// In nanoseconds.
        let mutation: Int64
        let changedAt: Instant
    }

    var timing: Timing?
    var updated = false
    /// When a state was offered to the subscribers; nil if there was none.
    var publishedAt: Instant?
    var coalesced = 0
    /// States dropped, one for each subscription that stalled.
    var dropped = 0
    /// Updates that were called inside another update and had no effect.
    var discarded = 0
    /// States that no subscriber needs any more. They are released together with the effects.
    var released = Released<AnyStateSnapshot>()
    /// Separate, so that waking a single subscriber allocates nothing.
    private var firstWaiter: Subscription.Waiter?
    private var otherWaiters: [Subscription.Waiter] = []

    mutating func wake(_ waiter: Subscription.Waiter?) {
        guard let waiter else { return }
        if firstWaiter == nil { firstWaiter = waiter } else { otherWaiters.append(waiter) }
    }

    func resumeWaiters() {
        firstWaiter?.resume()
        for waiter in otherWaiters { waiter.resume() }
    }

    @inline(never)
    func report(to instruments: StateFanout.Instruments) {
        let probe = instruments.probe
        if let timing {
            let publishing = instruments.clock.now.nanoseconds(since: timing.changedAt)
            probe.operationEnded(.stateMutation, nanoseconds: timing.mutation)
            probe.operationEnded(.statePublishing, nanoseconds: publishing)
        }
        if updated { probe.stateUpdated() }
        if let publishedAt, let spans = instruments.spans {
            spans.record(SpanRecord(.statePublished, .kind, start: publishedAt, nanoseconds: 0))
        }
        if coalesced > 0 { probe.statesCoalesced(coalesced) }
        for _ in 0..<dropped { probe.subscriberStalled(dropped: 1) }
    }
}

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
