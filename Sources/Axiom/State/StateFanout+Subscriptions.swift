// SPDX-License-Identifier: Apache-2.0

extension StateFanout {
    /// Begins a subscription whose first states are in `buffer`. Requires the lock, so that no state is missed in
    /// between.
    ///
    /// - Parameter component: The context that subscribes; nil if it is unknown.
    final func subscribe(
        _ buffer: Subscription.Buffer,
        by component: ComponentDescriptor?,
        _ effects: inout StateEffects
    ) -> Subscription {
        let subscription = Subscription(buffer, ending: hasEnded ? .finished : nil, component: component)
        guard !hasEnded else { return subscription }
        subscription.index = subscriptions.count
        subscriptions.append(subscription)
        noteSubscriptions(&effects)
        return subscription
    }

    /// Removes a subscription, in constant time: the last one takes its place. Does nothing if it was removed before.
    final func remove(_ subscription: Subscription) {
        changing { effects in
            let index = subscription.index
            guard subscriptions.indices.contains(index), subscriptions[index] === subscription else { return }
            let last = subscriptions.removeLast()
            if last !== subscription {
                last.index = index
                subscriptions[index] = last
            }
            noteSubscriptions(&effects)
        }
    }

    /// Removes the subscriptions that accept no more states. Requires the lock.
    final func removeClosed(_ effects: inout StateEffects) {
        subscriptions.removeAll { !$0.isOpen }
        for (index, subscription) in subscriptions.enumerated() { subscription.index = index }
        noteSubscriptions(&effects)
    }

    /// Ends all present and future streams.
    final func end() {
        changing { effects in
            guard !hasEnded else { return }
            hasEnded = true
            let ended = subscriptions
            subscriptions = []
            noteSubscriptions(&effects)
            for subscription in ended { effects.wake(subscription.finish(.finished)) }
        }
    }

    /// Calls the hooks when subscriptions begin and end.
    final func install(_ hooks: SubscriptionHooks) {
        changing { effects in
            makeRare().hooks = hooks
            noteSubscriptions(&effects)
        }
    }

    /// Notifies the hooks once the lock is free. Requires the lock.
    final func noteSubscriptions(_ effects: inout StateEffects) {
        if let hooks = rare?.hooks { effects.hooks = hooks }
    }

    // MARK: - Readers

    /// Adds a reader to the journal, at `version` or at the current one.
    ///
    /// - Returns: Its number, and how many critical states preceded it.
    final func openReader(after version: StateVersion?) -> (id: UInt64, criticals: UInt64) {
        exclusively {
            let criticals = version?.criticals ?? self.version.criticals
            let rare = makeRare()
            var journal = rare.journal.take() ?? CriticalJournal(after: self.version.criticals)
            defer { rare.journal = journal }
            return (journal.open(after: criticals), criticals)
        }
    }

    final func closeReader(_ id: UInt64) { changing { rare?.journal?.close(id, &$0.released) } }

    final func acknowledge(_ reader: UInt64, through number: UInt64) {
        changing { rare?.journal?.acknowledge(reader, through: number, &$0.released) }
    }

    /// The critical states that a reader has not acknowledged. Requires the lock.
    final func missed(by reader: UInt64) -> CriticalJournal<AnyStateSnapshot>.Missed {
        rare?.journal?.resume(reader) ?? CriticalJournal.Missed()
    }

    /// How many critical states the journal holds.
    final var journaled: Int { exclusively { rare?.journal?.count ?? 0 } }
}
