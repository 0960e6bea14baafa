// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The lock of a store, and the subscriptions that it publishes to. The subclass adds the state.
///
/// It is not generic: generic code that users instantiate in their own modules looks up its types at run time.
///
/// There is one for each store, so it holds only what every store needs. What an update causes is collected in
/// ``StateEffects`` on the stack of the outermost call, which carries it out after it has unlocked.
class StateFanout: @unchecked Sendable {
    // Unchecked because it can be subclassed and because of the fields that the lock guards.

    /// Guards the fields below and the state of the store. It is held while the body of an update runs: updates are
    /// atomic, and all subscribers see the same order. User code (the body, `==`) can call back into the store, so the
    /// lock detects reentry, and no access to the fields may span a call into user code.
    private let lock = ReentrancyDetectingLock()

    /// Whether the streams have ended. Guarded by `lock`.
    final var hasEnded = false
    /// The number of updates begun, modulo 65,536; one in ``ComponentOperation/sampling`` is timed. Guarded by `lock`.
    private var updates: UInt16 = 0
    /// The open subscriptions. Guarded by `lock`.
    final var subscriptions: [Subscription] = []
    /// Guarded by `lock`.
    final var rare: RareParts?
    /// Receives the rare events of the store. Called without the lock.
    final let owner: StoreOwner?
    private let boundInstruments: Instruments?
    /// The version of the state. Guarded by `lock`.
    private(set) final var version = StateVersion.initial

    init(instruments: Instruments?, owner: StoreOwner? = nil) {
        self.owner = owner
        boundInstruments = instruments
    }

    /// The name of the type of the state.
    var stateType: String { "" }
    /// The state and the number of changes that led to it.
    var numberedState: (state: any OwnedState, update: UInt64) { (NoState(), 0) }

    /// Nil if nothing observes the store, and in a build without the trait `Instrumented`.
    @inline(__always)
    final var instruments: Instruments? { InstrumentedTrait.isOn ? boundInstruments : nil }

    final var subscriberCount: Int { exclusively { subscriptions.count } }

    /// The open subscriptions and what they have not taken yet.
    final var subscribers: [StateSubscriber] { exclusively { subscriptions }.map(\.reading) }

    /// The number of updates that were called inside another one.
    final var discardedCount: Int { exclusively { rare?.discarded ?? 0 } }
}

/// What few stores have. Guarded by the lock of the store.
final class RareParts {
    /// The hooks of a client that works only while it is observed. Set before the client is activated.
    var hooks: SubscriptionHooks?
    /// The critical states that a reader has not acknowledged. Made for the first reader.
    var journal: CriticalJournal<AnyStateSnapshot>?
    /// The number of updates that were called inside another one.
    var discarded = 0
    /// The effects of calls inside an update, which the update carries out.
    var deferred: StateEffects?
}

extension StateFanout {
    /// Takes the lock.
    ///
    /// - Returns: Whether the lock was taken and ``leave(_:)`` or ``leave()`` has to follow; false if this thread
    ///   already holds it.
    final func enter() -> Bool { lock.lock() }

    /// Unlocks and carries out the effects.
    final func leave(_ effects: inout StateEffects) {
        guard let deferred = rare?.deferred.take() else {
            lock.unlock()
            if !effects.isEmpty { carryOut(&effects) }
            return
        }
        lock.unlock()
        var earlier = deferred
        carryOut(&earlier)
        if !effects.isEmpty { carryOut(&effects) }
    }

    /// Unlocks after a call that has no effects itself.
    final func leave() {
        guard rare != nil else { return lock.unlock() }
        var none = StateEffects()
        leave(&none)
    }

    @inline(never)
    private func carryOut(_ effects: inout StateEffects) {
        effects.resumeWaiters()
        if let owner {
            for _ in 0..<effects.discarded { owner.updateDiscarded(of: stateType) }
        }
        effects.hooks?.subscriptionsChanged()
        if let instruments { effects.report(to: instruments, of: self) }
    }

    /// Runs `work` under the lock. Takes the lock unless this thread already holds it.
    final func exclusively<R>(_ work: () -> R) -> R {
        guard enter() else { return work() }
        defer { leave() }
        return work()
    }

    /// Runs `work`, which has effects, under the lock. Inside an update, the update carries out the effects.
    final func changing<R>(_ work: (inout StateEffects) -> R) -> R {
        guard enter() else { return deferring(work) }
        var effects = StateEffects()
        defer { leave(&effects) }
        return work(&effects)
    }

    @inline(never)
    private func deferring<R>(_ work: (inout StateEffects) -> R) -> R {
        let rare = makeRare()
        var effects = rare.deferred.take() ?? StateEffects()
        defer { rare.deferred = effects }
        return work(&effects)
    }

    /// What few stores have, made if necessary. Requires the lock.
    final func makeRare() -> RareParts {
        let rare = rare ?? RareParts()
        self.rare = rare
        return rare
    }

    // MARK: - Updates

    /// Counts a change of the state. Requires the lock.
    ///
    /// - Returns: Whether there are subscribers to its result, or readers that need it.
    final func noteUpdate(_ delivery: StateDelivery, _ effects: inout StateEffects) -> Bool {
        version = version.next(delivery)
        if instruments != nil { effects.updated = true }
        guard delivery == .critical, let rare, let journal = rare.journal else { return !subscriptions.isEmpty }
        if journal.hasReaders { return true }
        rare.journal?.skip()
        return !subscriptions.isEmpty
    }

    /// Whether published states are recorded. Costs one relaxed load.
    final var isInspected: Bool { instruments?.inspection?.isOn ?? false }

    /// Counts an update that was called inside another one. Requires the lock.
    final func noteDiscarded() {
        changing { effects in
            makeRare().discarded += 1
            effects.discarded += 1
        }
    }

    /// The start time of an update; nil if it is not timed. Requires the lock.
    final func sampleStart() -> Instant? {
        guard let instruments else { return nil }
        defer { updates &+= 1 }
        return UInt64(updates).isMultiple(of: ComponentOperation.sampling) ? instruments.clock.now : nil
    }

    /// Records that a timed update has changed the state. Requires the lock.
    final func noteMutation(since start: Instant, _ effects: inout StateEffects) {
        guard let instruments else { return }
        let now = instruments.clock.now
        effects.timing = StateEffects.Timing(mutation: now.nanoseconds(since: start), changedAt: now)
    }

    /// Offers a state to every subscriber. Requires the lock.
    final func publish(_ snapshot: AnyStateSnapshot, _ delivery: StateDelivery, _ effects: inout StateEffects) {
        let isCritical = delivery == .critical
        let entry = Subscription.Entry(element: snapshot, isCritical: isCritical, publishedAt: instruments?.clock.now)
        var dropped = 0
        for subscription in subscriptions {
            let offered = subscription.offer(entry)
            effects.wake(offered.waiter)
            effects.coalesced += offered.coalesced
            dropped += offered.dropped
            effects.released.add(offered.released)
        }
        if isCritical, let rare, rare.journal?.hasReaders == true {
            rare.journal?.append(snapshot, &effects.released)
        }
        effects.dropped += dropped
        effects.publishedAt = entry.publishedAt
        guard dropped > 0 else { return }
        removeClosed(&effects)
    }
}

extension StateFanout: InspectableStore {
    final var inspectionID: ObjectIdentifier { ObjectIdentifier(self) }
}
