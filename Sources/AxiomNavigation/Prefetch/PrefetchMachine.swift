// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Decides which values are loaded, kept, handed out and dropped. It runs nothing itself: its owner carries out the
/// ``Effects`` of each change.
struct PrefetchMachine<Key: Hashable & Sendable>: Sendable {
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
    }

    /// The answer to a screen that needs a value.
    enum Answer: Sendable {
        case value(any Sendable)
        /// The value is being loaded. The screen joins the load, and then calls ``take(_:of:at:)`` or ``leave(_:)``.
        case loading(Start)
        /// The screen has to load the value itself.
        case absent
    }

    private struct Load {
        let id: UInt64
        let identifier: String
        /// How many screens have joined it and not left. Only without any is it cancelled.
        var screens = 0
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
    /// The loaders that run, including cancelled ones that have not returned. At most `budget.loadsAtOnce`.
    private var slots: Set<UInt64> = []
    private var lastID: UInt64 = 0
    private var totals = PrefetchCounts()
    private var effects = Effects()

    init(_ budget: PrefetchBudget) { self.budget = budget }

    var counts: PrefetchCounts {
        var counts = totals
        counts.loading = loads.count
        counts.kept = kept.count
        return counts
    }

    /// The number of loaders that run, including cancelled ones.
    var running: Int { slots.count }

    /// The number of screens that have joined loads.
    var waiters: Int { loads.values.reduce(0) { $0 + $1.screens } }

    /// Whether the value of this load is awaited.
    func isAwaited(_ start: Start) -> Bool { loads[start.key]?.id == start.id }

    /// Returns what is to be done since the last call.
    mutating func takeEffects() -> Effects {
        defer { effects = Effects() }
        return effects
    }

    /// A route is about to be shown that requires `keys`: cancels the loads of other routes, and starts those of this one
    /// as far as slots are free.
    ///
    /// - Parameter isNew: Whether its screen will be made. Otherwise nothing starts.
    mutating func show(_ keys: [Key], of identifier: String, isNew: Bool, at now: Instant) {
        removeExpired(at: now)
        for (key, load) in loads where load.screens == 0 && !keys.contains(key) { drop(key, load) }
        guard isNew else { return }
        for key in keys where slots.count < budget.loadsAtOnce && loads[key] == nil && kept[key] == nil {
            lastID += 1
            totals.begun += 1
            slots.insert(lastID)
            loads[key] = Load(id: lastID, identifier: identifier)
            effects.starts.append(Start(id: lastID, key: key))
        }
    }

    /// Answers a screen. A value is handed out once.
    mutating func ask(_ key: Key, at now: Instant) -> Answer {
        if let value = take(key, at: now) { return .value(value) }
        guard let id = loads[key]?.id else { return .absent }
        loads[key]?.screens += 1
        return .loading(Start(id: id, key: key))
    }

    /// Hands out the value of `key`, if it is kept.
    ///
    /// - Parameter id: The load that the value has to be of; nil for any.
    mutating func take(_ key: Key, of id: UInt64? = nil, at now: Instant) -> (any Sendable)? {
        removeExpired(at: now)
        guard let value = kept[key], id == nil || value.id == id else { return nil }
        kept[key] = nil
        note(.used, value.identifier)
        return value.value
    }

    /// A screen that joined a load does not wait any more. The load ends with its last screen.
    mutating func leave(_ start: Start) {
        guard isAwaited(start) else { return }
        loads[start.key]?.screens -= 1
        if let load = loads[start.key], load.screens == 0 { drop(start.key, load) }
    }

    /// The loader of a load has a value.
    mutating func loaded(_ start: Start, _ value: any Sendable, at now: Instant) {
        removeExpired(at: now)
        guard isAwaited(start), let load = loads.removeValue(forKey: start.key) else { return }
        note(.loaded, load.identifier)
        if kept.count >= budget.keptValues, let oldest = kept.min(by: { $0.value.id < $1.value.id }) {
            kept[oldest.key] = nil
            note(.dropped, oldest.value.identifier)
        }
        let expiry = now.advanced(by: budget.lifetime)
        kept[start.key] = Kept(value: value, identifier: load.identifier, expiry: expiry, id: start.id)
    }

    /// The loader of a load has returned or will not run.
    mutating func returned(_ start: Start) { slots.remove(start.id) }

    /// The loader of a load threw.
    mutating func failed(_ start: Start) {
        guard isAwaited(start), let load = loads.removeValue(forKey: start.key) else { return }
        note(.failed, load.identifier)
    }

    /// A load has ended. Its loader did not run if a screen loaded the value at the same time.
    mutating func ended(_ start: Start) {
        guard isAwaited(start), let load = loads.removeValue(forKey: start.key) else { return }
        note(.dropped, load.identifier)
    }

    /// The time limit of a load has passed. It continues only for screens that have joined it.
    mutating func expire(_ start: Start) {
        guard isAwaited(start), let load = loads[start.key], load.screens == 0 else { return }
        loads[start.key] = nil
        effects.cancels.append(load.id)
        note(.failed, load.identifier)
    }

    /// Drops every value and every load.
    mutating func clear() {
        for (key, load) in loads { drop(key, load) }
        for value in kept.values { note(.dropped, value.identifier) }
        kept = [:]
    }

    private mutating func drop(_ key: Key, _ load: Load) {
        loads[key] = nil
        effects.cancels.append(load.id)
        note(.dropped, load.identifier)
    }

    private mutating func removeExpired(at now: Instant) {
        for (key, value) in kept where value.expiry <= now {
            kept[key] = nil
            note(.dropped, value.identifier)
        }
    }

    private mutating func note(_ outcome: PrefetchOutcome, _ identifier: String) {
        totals.add(outcome)
        effects.outcomes.append((outcome, identifier))
    }
}
