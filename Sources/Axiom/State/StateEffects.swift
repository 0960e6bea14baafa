// SPDX-License-Identifier: Apache-2.0

/// What a fan-out still has to do when it has let go of its lock.
struct StateEffects: Sendable {
    var updated = false
    var coalesced = 0
    /// States dropped, one for each subscription that stalled.
    var dropped = 0
    /// Kept apart, so that waking a single subscriber allocates nothing.
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

    #if Instrumented
    func report(to probe: any StateProbe) {
        if updated { Hooks.stateUpdated(probe) }
        if coalesced > 0 { Hooks.statesCoalesced(probe, count: coalesced) }
        for _ in 0..<dropped { Hooks.subscriberStalled(probe, dropped: 1) }
    }
    #endif
}
