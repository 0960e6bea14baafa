// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The lock of a store, and the subscriptions that it publishes to.
final class StateFanout: Sendable {
    /// The probe of the store and the clock of its timings. A class, so that passing it on costs one retain.
    final class Instruments: Sendable {
        let probe: any StateProbe
        let clock: TimeSource
        /// Nil if nothing records spans.
        let spans: (any SpanProbe)?

        init(probe: any StateProbe, clock: TimeSource, spans: (any SpanProbe)?) {
            self.probe = probe
            self.clock = clock
            self.spans = spans
        }
    }

    /// Guards the fields below and the state of the store. It is held while the body of an update runs: updates are
    /// atomic, and all subscribers see the same order. User code (the body, `==`) can call back into the store, so the
    /// lock detects reentry, and no access to the fields may span a call into user code.
    private let lock = ReentrancyDetectingLock()

    /// The open subscriptions. Guarded by `lock`.
    nonisolated(unsafe) private var subscriptions: [Subscription] = []
    /// Set once, when the streams end. Guarded by `lock`.
    nonisolated(unsafe) private var ending: SubscriptionEnd?
    /// Collected while the lock is held. The outermost call carries them out after it has unlocked. Usually there are
    /// none. Guarded by `lock`.
    nonisolated(unsafe) private var effects: StateEffects?

    /// The number of updates that were called inside another one. Guarded by `lock`.
    nonisolated(unsafe) private var discarded = 0
    /// Reports such an update. Called without the lock.
    private let onDiscarded: (@Sendable () -> Void)?

    private let boundInstruments: Instruments?
    /// The number of updates begun; one in ``ComponentOperation/sampling`` is timed. Guarded by `lock`.
    nonisolated(unsafe) private var updates: UInt64 = 0

    init(instruments: Instruments?, onDiscarded: (@Sendable () -> Void)?) {
        self.onDiscarded = onDiscarded
        boundInstruments = instruments
    }

    /// Nil if nothing observes the store, and in a build without the trait `Instrumented`.
    @inline(__always)
    var instruments: Instruments? { InstrumentedTrait.isOn ? boundInstruments : nil }

    var subscriberCount: Int { exclusively { subscriptions.count } }

    var discardedCount: Int { exclusively { discarded } }

    /// Takes the lock.
    ///
    /// - Returns: Whether the lock was taken and ``leave()`` has to follow; false if this thread already holds it.
    func enter() -> Bool {
        lock.lock()
    }

    /// Unlocks and carries out the effects.
    func leave() {
        guard let effects else { return lock.unlock() }
        self.effects = nil
        lock.unlock()
        effects.resumeWaiters()
        for _ in 0..<effects.discarded { onDiscarded?() }
        if let instruments { effects.report(to: instruments) }
    }

    /// Runs `work` under the lock. Takes the lock unless this thread already holds it.
    func exclusively<R>(_ work: () -> R) -> R {
        guard enter() else { return work() }
        defer { leave() }
        return work()
    }

    /// Counts an update. Requires the lock.
    ///
    /// - Returns: Whether there are subscribers to its result.
    func noteUpdate() -> Bool {
        if instruments != nil { gather { $0.updated = true } }
        return !subscriptions.isEmpty
    }

    /// Counts an update that was called inside another one. Requires the lock.
    func noteDiscarded() {
        discarded += 1
        gather { $0.discarded += 1 }
    }

    /// The start time of an update; nil if it is not timed. Requires the lock.
    func sampleStart() -> Instant? {
        guard let instruments else { return nil }
        defer { updates &+= 1 }
        return updates.isMultiple(of: ComponentOperation.sampling) ? instruments.clock.now : nil
    }

    /// Records that a timed update has changed the state. Requires the lock.
    func noteMutation(since start: Instant) {
        guard let instruments else { return }
        let now = instruments.clock.now
        gather { $0.timing = StateEffects.Timing(mutation: now.nanoseconds(since: start), changedAt: now) }
    }

    /// Offers a state to every subscriber. Requires the lock.
    func publish(_ snapshot: AnyStateSnapshot, _ delivery: StateDelivery) {
        let isCritical = delivery == .critical
        let entry = Subscription.Entry(element: snapshot, isCritical: isCritical, publishedAt: timestamp())
        var dropped = 0
        gather { effects in
            for subscription in subscriptions {
                let offered = subscription.offer(entry)
                effects.wake(offered.waiter)
                effects.coalesced += offered.coalesced
                dropped += offered.dropped
                effects.released.add(offered.released)
            }
            effects.dropped += dropped
            effects.publishedAt = entry.publishedAt
        }
        if dropped > 0 { subscriptions.removeAll { !$0.isOpen } }
    }

    /// Begins a subscription with `current`. Requires the lock, so that no state is missed in between.
    func subscribe(current: AnyStateSnapshot) -> Subscription {
        var buffer = Subscription.Buffer()
        _ = buffer.append(Subscription.Entry(element: current, isCritical: false, publishedAt: nil))
        let subscription = Subscription(buffer, ending: ending)
        if ending == nil { subscriptions.append(subscription) }
        return subscription
    }

    func remove(_ subscription: Subscription) {
        exclusively {
            guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
            subscriptions.remove(at: index)
        }
    }

    /// Ends all present and future streams. The first ending is final.
    func end(_ ending: SubscriptionEnd) {
        exclusively {
            guard self.ending == nil else { return }
            self.ending = ending
            let ended = subscriptions
            subscriptions = []
            gather { effects in
                for subscription in ended { effects.wake(subscription.finish(ending)) }
            }
        }
    }

    private func gather(_ change: (inout StateEffects) -> Void) {
        var gathered = effects ?? StateEffects()
        change(&gathered)
        effects = gathered
    }

    private func timestamp() -> Instant? {
        instruments?.clock.now
    }
}
