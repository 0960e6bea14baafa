// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The lock of a store, and the subscriptions that it publishes to.
final class StateFanout: Sendable {
    /// Guards the fields below and the state of the store. It is held while the body of an update runs: updates are
    /// atomic, and all subscribers see the same order. User code (the body, `==`) can call back into the store, so the
    /// lock detects reentry, and no access to the fields may span a call into user code.
    private let lock = ReentrancyDetectingLock()

    /// The open subscriptions. Guarded by `lock`.
    nonisolated(unsafe) private var subscriptions: [Subscription] = []
    /// Whether the streams have ended. Guarded by `lock`.
    nonisolated(unsafe) private var hasEnded = false
    /// The owner's ``StoreOwner/seesChanges``.
    private let reportsChanges: Bool
    /// The number of updates that were called inside another one. Guarded by `lock`.
    nonisolated(unsafe) private var discarded: UInt32 = 0
    /// Collected while the lock is held. The outermost call carries them out after it has unlocked. Usually there are
    /// none. Guarded by `lock`.
    nonisolated(unsafe) private var effects: StateEffects?

    /// Receives the rare events of the store. Called without the lock.
    let owner: (any StoreOwner)?

    /// The hooks of a client that works only while it is observed. Set before the client is activated. Guarded by `lock`.
    nonisolated(unsafe) private var hooks: SubscriptionHooks?

    private let boundInstruments: Instruments?
    /// The number of updates begun; one in ``ComponentOperation/sampling`` is timed. Guarded by `lock`.
    nonisolated(unsafe) private var updates: UInt64 = 0
    /// The version of the state. Guarded by `lock`.
    nonisolated(unsafe) private(set) var version = StateVersion.initial
    /// The critical states that a reader has not acknowledged. Made for the first reader. Guarded by `lock`.
    nonisolated(unsafe) private var journal: JournalBox?

    init(instruments: Instruments?, owner: (any StoreOwner)? = nil) {
        self.owner = owner
        reportsChanges = owner?.seesChanges ?? false
        boundInstruments = instruments
    }

    /// Nil if nothing observes the store, and in a build without the trait `Instrumented`.
    @inline(__always)
    var instruments: Instruments? { InstrumentedTrait.isOn ? boundInstruments : nil }

    var subscriberCount: Int { exclusively { subscriptions.count } }

    /// The open subscriptions and what they have not taken yet.
    var subscribers: [StateSubscriber] { exclusively { subscriptions }.map(\.reading) }

    var discardedCount: Int { exclusively { Int(discarded) } }

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
        if let owner {
            for _ in 0..<effects.discarded { owner.updateDiscarded(in: ObjectIdentifier(self)) }
            if effects.changed { owner.stateChanged() }
        }
        effects.hooks?.subscriptionsChanged()
        if let instruments { effects.report(to: instruments, of: self) }
    }

    /// Runs `work` under the lock. Takes the lock unless this thread already holds it.
    func exclusively<R>(_ work: () -> R) -> R {
        guard enter() else { return work() }
        defer { leave() }
        return work()
    }

    /// Counts a change of the state. Requires the lock.
    ///
    /// - Returns: Whether there are subscribers to its result, or readers that need it.
    func noteUpdate(_ delivery: StateDelivery) -> Bool {
        version = version.next(delivery)
        if instruments != nil { gather { $0.updated = true } }
        if reportsChanges { gather { $0.changed = true } }
        guard delivery == .critical, let journal else { return !subscriptions.isEmpty }
        if journal.critical.hasReaders { return true }
        journal.critical.skip()
        return !subscriptions.isEmpty
    }

    /// Whether published states are recorded. Costs one relaxed load.
    var isInspected: Bool { instruments?.inspection?.isOn ?? false }

    /// Passes the state of the latest update to the recorder once the lock is free. Requires the lock.
    func noteInspected(_ snapshot: AnyStateSnapshot) {
        gather { $0.inspected = snapshot }
    }

    /// Counts an update that was called inside another one. Requires the lock.
    func noteDiscarded() {
        discarded &+= 1
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
            if isCritical, let journal, journal.critical.hasReaders {
                journal.critical.append(snapshot, &effects.released)
            }
            effects.dropped += dropped
            effects.publishedAt = entry.publishedAt
        }
        guard dropped > 0 else { return }
        subscriptions.removeAll { !$0.isOpen }
        noteSubscriptions()
    }

    /// Begins a subscription whose first states are in `buffer`. Requires the lock, so that no state is missed in
    /// between.
    ///
    /// - Parameter component: The context that subscribes; nil if it is unknown.
    func subscribe(_ buffer: Subscription.Buffer, by component: ComponentDescriptor?) -> Subscription {
        let subscription = Subscription(buffer, ending: hasEnded ? .finished : nil, component: component)
        guard !hasEnded else { return subscription }
        subscriptions.append(subscription)
        noteSubscriptions()
        return subscription
    }

    func remove(_ subscription: Subscription) {
        exclusively {
            guard let index = subscriptions.firstIndex(where: { $0 === subscription }) else { return }
            subscriptions.remove(at: index)
            noteSubscriptions()
        }
    }

    /// Ends all present and future streams.
    func end() {
        exclusively {
            guard !hasEnded else { return }
            hasEnded = true
            let ended = subscriptions
            subscriptions = []
            noteSubscriptions()
            gather { effects in
                for subscription in ended { effects.wake(subscription.finish(.finished)) }
            }
        }
    }

    /// Adds a reader to the journal, at `version` or at the current one.
    ///
    /// - Returns: Its number, and how many critical states preceded it.
    func openReader(after version: StateVersion?) -> (id: UInt64, criticals: UInt64) {
        exclusively {
            let criticals = version?.criticals ?? self.version.criticals
            let journal = journal ?? JournalBox(following: self.version.criticals)
            self.journal = journal
            return (journal.critical.open(after: criticals), criticals)
        }
    }

    func closeReader(_ id: UInt64) {
        exclusively { gather { journal?.critical.close(id, &$0.released) } }
    }

    func acknowledge(_ reader: UInt64, through number: UInt64) {
        exclusively { gather { journal?.critical.acknowledge(reader, through: number, &$0.released) } }
    }

    /// The critical states that a reader has not acknowledged. Requires the lock.
    func missed(by reader: UInt64) -> CriticalJournal<AnyStateSnapshot>.Missed {
        journal?.critical.resume(reader) ?? CriticalJournal.Missed()
    }

    /// Calls the hooks when subscriptions begin and end.
    func install(_ hooks: SubscriptionHooks) {
        exclusively {
            self.hooks = hooks
            noteSubscriptions()
        }
    }

    /// Notifies the hooks once the lock is free. Requires the lock.
    private func noteSubscriptions() {
        if let hooks { gather { $0.hooks = hooks } }
    }

    /// How many critical states the journal holds.
    var journaled: Int { exclusively { journal?.critical.count ?? 0 } }

    private func gather(_ change: (inout StateEffects) -> Void) {
        var gathered = effects ?? StateEffects()
        change(&gathered)
        effects = gathered
    }

    private func timestamp() -> Instant? {
        instruments?.clock.now
    }
}

/// The journal of a store that has readers, apart, because few stores have one. Guarded by the lock of the store.
private final class JournalBox {
    var critical: CriticalJournal<AnyStateSnapshot>

    init(following number: UInt64) {
        critical = CriticalJournal(after: number)
    }
}
