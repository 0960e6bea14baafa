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
    /// A state for the recorder of the store; nil unless the states are inspected.
    var inspected: AnyStateSnapshot?
    var updated = false
    /// When a state was offered to the subscribers; nil if there was none.
    var publishedAt: Instant?
    var coalesced = 0
    /// States dropped, one for each subscription that stalled.
    var dropped = 0
    /// Updates that were called inside another update and had no effect.
    var discarded = 0
    /// The hooks of the client, if the subscriptions have changed.
    var hooks: SubscriptionHooks?
    /// States that no subscriber needs any more. They are released together with the effects.
    var released = Released<AnyStateSnapshot>()
    /// Separate, so that waking a single subscriber allocates nothing.
    private var firstWaiter: Subscription.Waiter?
    private var otherWaiters: [Subscription.Waiter] = []

    /// Whether there is nothing to do. The released states need nothing but to be released.
    var isEmpty: Bool {
        !updated && firstWaiter == nil && publishedAt == nil && hooks == nil && timing == nil
            && inspected == nil && discarded == 0 && coalesced == 0 && dropped == 0
    }

    mutating func wake(_ waiter: Subscription.Waiter?) {
        guard let waiter else { return }
        if firstWaiter == nil { firstWaiter = waiter } else { otherWaiters.append(waiter) }
    }

    func resumeWaiters() {
        firstWaiter?.resume()
        for waiter in otherWaiters { waiter.resume() }
    }

    @inline(never)
    func report(to instruments: StateFanout.Instruments, of fanout: StateFanout) {
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
        if let inspected {
            let published = PublishedState(
                inspected.anyState,
                update: inspected.version.number,
                at: instruments.clock.now,
                span: OperationContext.currentSpan
            )
            instruments.recorder?.published(published, by: ObjectIdentifier(fanout))
        }
        if coalesced > 0 { probe.statesCoalesced(coalesced) }
        for _ in 0..<dropped { probe.subscriberStalled(dropped: 1) }
    }
}
