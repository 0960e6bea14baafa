// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Decides which values are loaded, kept, handed out and dropped. It runs nothing itself: each change returns its effects.
struct PrefetchMachine<Key: Hashable & Sendable, Waiter: AnyObject & Sendable>: Sendable {
    /// A value that is likely to be needed, and the identifier of the route that needs it.
    struct Wish: Sendable {
        let key: Key
        let identifier: String
    }

    /// A load to start.
    struct Start: Sendable {
        let id: UInt64
        let key: Key
    }

    /// What to do after a change, outside of the lock.
    struct Effects: Sendable {
        var starts: [Start] = []
        /// The loads to cancel.
        var cancels: [UInt64] = []
        var outcomes: [(PrefetchOutcome, identifier: String)] = []
        /// Waiters, and the value for them; nil if there is none, and the screen has to load it.
        var settled: [(Waiter, (any Sendable)?)] = []
    }

    /// The answer to a screen that needs a value.
    enum Answer: Sendable {
        case value(any Sendable)
        /// The value is being loaded. The waiter is settled when the load has ended.
        case wait
        /// The screen has to load the value itself, between ``beginDirectLoad(_:)`` and ``endDirectLoad(_:)``.
        case absent
    }

    private struct Load {
        let id: UInt64
        let identifier: String
        var waiters: [Waiter] = []
        /// Whether the time limit has passed. Only a load with waiters continues then.
        var isOverdue = false
    }

    private struct Kept {
        let value: any Sendable
        let identifier: String
        let expiry: Instant
        /// The number of the load, for the order.
        let id: UInt64
    }

    private let budget: PrefetchBudget
    /// The loads whose value is awaited. A load that was cancelled is not among them.
    private var loads: [Key: Load] = [:]
    private var kept: [Key: Kept] = [:]
    /// Likely values without a slot, the likeliest first.
    private var queue: [Wish] = []
    /// The loads that may not be cancelled as unlikely.
    private var wanted: Set<Key> = []
    /// The loaders that run, including cancelled ones that have not returned. At most `budget.loadsAtOnce`.
    private var slots: Set<UInt64> = []
    /// The screens that load a value themselves. Such a value is not prefetched.
    private var direct: [Key: Int] = [:]
    private var lastID: UInt64 = 0
    private var totals = PrefetchCounts()

    init(_ budget: PrefetchBudget) {
        self.budget = budget
    }

    var counts: PrefetchCounts {
        var counts = totals
        counts.loading = loads.count
        counts.kept = kept.count
        return counts
    }

    /// The number of loaders that run, including cancelled ones.
    var running: Int { slots.count }

    /// The number of screens that wait.
    var waiters: Int { loads.values.reduce(0) { $0 + $1.waiters.count } }

    /// Whether the loader of `start` has not returned, and whether its value is still awaited.
    func status(of start: Start) -> (runs: Bool, isAwaited: Bool) {
        (slots.contains(start.id), loads[start.key]?.id == start.id)
    }

    /// The number of the load of `key` whose value is awaited.
    func load(for key: Key) -> UInt64? { loads[key]?.id }

    /// Replaces what is likely: cancels loads that are not any more, and starts others as far as slots are free.
    ///
    /// - Parameters:
    ///   - wishes: What is likely, the likeliest first.
    ///   - keeping: Values that the current screen may request now: loads that run continue, but none starts.
    mutating func want(_ wishes: [Wish], keeping: Set<Key> = [], at now: Instant) -> Effects {
        var effects = removeExpired(at: now)
        wanted = keeping.union(wishes.map(\.key))
        for (key, load) in loads where load.waiters.isEmpty && !wanted.contains(key) {
            drop(key, load, &effects)
        }
        queue = []
        for wish in wishes where !isPresent(wish.key) && !queue.contains(where: { $0.key == wish.key }) {
            queue.append(wish)
        }
        startQueued(&effects)
        return effects
    }

    /// Answers a screen. A value is handed out once.
    mutating func ask(_ key: Key, _ waiter: Waiter, at now: Instant) -> (Answer, Effects) {
        var effects = removeExpired(at: now)
        if let value = kept.removeValue(forKey: key) {
            note(.used, value.identifier, &effects)
            return (.value(value.value), effects)
        }
        guard loads[key] != nil else { return (.absent, effects) }
        loads[key]?.waiters.append(waiter)
        return (.wait, effects)
    }

    /// Removes a waiter that was cancelled. Cancels its load if it was the last one and the value is not likely to be used.
    mutating func leave(_ key: Key, _ waiter: Waiter) -> Effects {
        var effects = Effects()
        loads[key]?.waiters.removeAll { $0 === waiter }
        guard let load = loads[key], load.waiters.isEmpty else { return effects }
        if load.isOverdue || !wanted.contains(key) { drop(key, load, &effects) }
        return effects
    }

    mutating func beginDirectLoad(_ key: Key) {
        direct[key, default: 0] += 1
        queue.removeAll { $0.key == key }
    }

    mutating func endDirectLoad(_ key: Key) {
        let rest = direct[key, default: 1] - 1
        direct[key] = rest > 0 ? rest : nil
    }

    /// The loader of a load returned a value, or nil if it threw.
    mutating func end(_ start: Start, _ value: (any Sendable)?, at now: Instant) -> Effects {
        var effects = removeExpired(at: now)
        slots.remove(start.id)
        if let load = loads[start.key], load.id == start.id {
            loads[start.key] = nil
            effects.settled = load.waiters.map { ($0, value) }
            note(value == nil ? .failed : .loaded, load.identifier, &effects)
            if let value, load.waiters.isEmpty {
                keep(value, start, load.identifier, at: now, &effects)
            } else if value != nil {
                note(.used, load.identifier, &effects)
            }
        }
        startQueued(&effects)
        return effects
    }

    /// The time limit of a load has passed. It continues only for screens that wait for it.
    mutating func expire(_ start: Start) -> Effects {
        var effects = Effects()
        guard let load = loads[start.key], load.id == start.id else { return effects }
        guard load.waiters.isEmpty else {
            loads[start.key]?.isOverdue = true
            return effects
        }
        loads[start.key] = nil
        effects.cancels.append(load.id)
        note(.failed, load.identifier, &effects)
        return effects
    }

    /// Drops every value and every load.
    mutating func clear() -> Effects {
        var effects = Effects()
        (queue, wanted) = ([], [])
        for (key, load) in loads { drop(key, load, &effects) }
        for value in kept.values { note(.dropped, value.identifier, &effects) }
        kept = [:]
        return effects
    }

    private func isPresent(_ key: Key) -> Bool {
        loads[key] != nil || kept[key] != nil || direct[key] != nil
    }

    private mutating func startQueued(_ effects: inout Effects) {
        while slots.count < budget.loadsAtOnce, !queue.isEmpty {
            let wish = queue.removeFirst()
            lastID += 1
            totals.begun += 1
            slots.insert(lastID)
            loads[wish.key] = Load(id: lastID, identifier: wish.identifier)
            effects.starts.append(Start(id: lastID, key: wish.key))
        }
    }

    private mutating func keep(
        _ value: any Sendable,
        _ start: Start,
        _ identifier: String,
        at now: Instant,
        _ effects: inout Effects
    ) {
        if kept.count >= budget.keptValues, let oldest = kept.min(by: { $0.value.id < $1.value.id }) {
            kept[oldest.key] = nil
            note(.dropped, oldest.value.identifier, &effects)
        }
        let expiry = now.advanced(by: budget.lifetime)
        kept[start.key] = Kept(value: value, identifier: identifier, expiry: expiry, id: start.id)
    }

    private mutating func drop(_ key: Key, _ load: Load, _ effects: inout Effects) {
        loads[key] = nil
        effects.cancels.append(load.id)
        effects.settled += load.waiters.map { ($0, nil) }
        note(.dropped, load.identifier, &effects)
    }

    private mutating func removeExpired(at now: Instant) -> Effects {
        var effects = Effects()
        for (key, value) in kept where value.expiry <= now {
            kept[key] = nil
            note(.dropped, value.identifier, &effects)
        }
        return effects
    }

    private mutating func note(_ outcome: PrefetchOutcome, _ identifier: String, _ effects: inout Effects) {
        totals.add(outcome)
        effects.outcomes.append((outcome, identifier))
    }
}
