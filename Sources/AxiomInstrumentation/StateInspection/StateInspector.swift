// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase

/// Keeps the latest states of all clients while somebody inspects them.
///
/// A reader begins an inspection, and it lasts ``patience`` longer than its latest reading. Without one, stores pay a load
/// for each update, and no value is retained. During one, an update retains its state and takes one lock. The values are
/// measured by a task of low priority and rendered by readers: reflection, which runs code of the application, is used
/// neither under a lock nor on the thread of an update.
///
/// At most ``updateLimit`` states of each store are kept, and ``byteLimit`` bytes of all by ``FootprintEstimate``, which
/// counts storage that several states share once for each of them. A state that is not measured yet counts as much as the
/// one of its store that was measured last. The oldest are dropped first, and counted.
package final class StateInspector: Sendable {
    /// How long states are kept after the latest reading.
    package static let patience = Duration.seconds(10)
    /// The most states of one store.
    package static let updateLimit = 200
    /// The most bytes of all states, as estimated.
    package static let byteLimit = 16 << 20

    /// A store that exists, or one that was released since the latest sweep.
    struct Store: Sendable {
        let id: Int
        let client: ComponentDescriptor
        let instance: UInt64
        /// Weak: an inspector keeps no client alive.
        weak let store: (any InspectableStore)?
        /// What the state took after that update.
        var measured: (update: UInt64, bytes: Int)?
    }

    struct State: Sendable {
        /// By their ids.
        var stores: [Int: Store] = [:]
        var ids: [ObjectIdentifier: Int] = [:]
        var nextID = 1
        /// Without an inspection, released stores are removed when there are so many: twice as many as the last sweep left.
        var sweepSize = 64
        /// Nil while there is no inspection.
        var until: Instant?
        var kept: KeptStates
        var isMeasuring = false
    }

    let inspection = InspectionSwitch()
    let clock: TimeSource
    /// Nil if nothing records spans.
    let recorder: FlightRecorder?
    /// Guarded by its lock. Values that leave are released outside of it.
    let state: Lock<State>

    init(
        _ recorder: FlightRecorder?,
        clock: TimeSource,
        updateLimit: Int = StateInspector.updateLimit,
        byteLimit: Int = StateInspector.byteLimit
    ) {
        self.recorder = recorder
        self.clock = clock
        state = Lock(State(kept: KeptStates(updateLimit: updateLimit, byteLimit: byteLimit)))
    }

    // MARK: - Beginning and end

    /// Begins an inspection, or prolongs it. The first states that it keeps are the current ones.
    func inspect() {
        expire()
        let stores = state.withLock { state -> [Store] in
            let isNew = state.until == nil
            state.until = clock.now.advanced(by: Self.patience)
            // Under the lock, as in `end`, so that the two agree.
            inspection.set(true)
            return isNew ? Array(state.stores.values) : []
        }
        for store in stores { addFirst(store) }
        measure()
    }

    /// Ends the inspection if its readers have left. Call it every second.
    package func expire() {
        let ended = state.withLock { state -> KeptStates? in
            guard let until = state.until, clock.now >= until else { return nil }
            return state.end(inspection)
        }
        withExtendedLifetime(ended) {}
    }

    /// Ends the inspection.
    package func stop() {
        let ended = state.withLock { $0.end(inspection) }
        withExtendedLifetime(ended) {}
    }

    /// Keeps the current state of a store, so that its next update can be compared with something.
    private func addFirst(_ store: Store) {
        guard let found = store.store else { return }
        let (current, update) = found.numberedState
        let first = PublishedState(current, update: update, at: clock.now, span: .none)
        keep(first, of: store.id, isFirst: true)
    }
}

extension StateInspector.State {
    /// - Returns: The values that were kept, to be released without the lock.
    fileprivate mutating func end(_ inspection: InspectionSwitch) -> KeptStates {
        inspection.set(false)
        until = nil
        defer { kept = KeptStates(updateLimit: kept.updateLimit, byteLimit: kept.byteLimit) }
        return kept
    }
}

// MARK: - Recording

extension StateInspector {
    package func recorder(for client: ComponentDescriptor, instance: UInt64) -> any StateRecorder {
        ClientStateRecorder(self, client, instance: instance)
    }

    fileprivate func made(_ store: any InspectableStore, _ client: ComponentDescriptor, _ instance: UInt64) {
        let (added, isOn, left) = state.withLock { state -> (Store, Bool, [KeptStates.Entry]) in
            let isSweep = state.until != nil || state.stores.count >= state.sweepSize
            let left = isSweep ? state.removeReleased() : []
            let added = Store(id: state.nextID, client: client, instance: instance, store: store)
            state.nextID += 1
            state.stores[added.id] = added
            state.ids[store.inspectionID] = added.id
            return (added, state.until != nil, left)
        }
        withExtendedLifetime(left) {}
        if isOn { addFirst(added) }
    }

    fileprivate func published(_ published: PublishedState, by store: ObjectIdentifier) {
        guard let id = state.withLock({ $0.ids[store] }) else { return }
        keep(published, of: id, isFirst: false)
    }

    private func keep(_ published: PublishedState, of store: Int, isFirst: Bool) {
        let (left, measures, ended) = state.withLock { state -> ([KeptStates.Entry], Bool, KeptStates?) in
            guard let until = state.until else { return ([], false, nil) }
            if published.at >= until { return ([], false, state.end(inspection)) }
            let left = state.kept.add(published, of: store, isFirst: isFirst)
            let measures = !state.isMeasuring && !isFirst
            if measures { state.isMeasuring = true }
            return (left, measures, nil)
        }
        withExtendedLifetime((left, ended)) {}
        if measures { startMeasuring() }
    }
}

extension StateInspector.State {
    /// Removes the stores that were released.
    ///
    /// - Returns: What leaves.
    mutating func removeReleased() -> [KeptStates.Entry] {
        var left: [KeptStates.Entry] = []
        for (id, store) in stores where store.store == nil {
            stores[id] = nil
            left += kept.remove(id)
        }
        ids = ids.filter { stores[$0.value] != nil }
        sweepSize = max(64, stores.count * 2)
        return left
    }
}

// MARK: - Measuring

extension StateInspector {
    /// Measures in a task until there is nothing more to measure.
    private func startMeasuring() {
        Task.detached(priority: .utility) { [weak self] in
            while let self, self.measuresOn { self.measure() }
        }
    }

    /// Whether there is something to measure. If not, the next update starts a task.
    private var measuresOn: Bool {
        state.withLock { state in
            state.isMeasuring = state.kept.hasUnmeasured
            return state.isMeasuring
        }
    }

    /// Measures the values whose sizes are not known. Cost for each: some microseconds for a small state, about a
    /// millisecond for the largest.
    func measure() {
        for (key, value) in state.withLock({ $0.kept.takeUnmeasured() }) {
            var estimate = FootprintEstimate()
            let bytes = Int(exactly: estimate.bytes(of: value).rounded()) ?? .max / 2
            let left = state.withLock { $0.kept.measure(key, bytes: min(bytes, .max / 4)) }
            withExtendedLifetime(left) {}
        }
    }
}

/// Passes the states of one client instance to the inspector.
private final class ClientStateRecorder: StateRecorder {
    private let inspector: StateInspector
    private let client: ComponentDescriptor
    private let instance: UInt64

    init(_ inspector: StateInspector, _ client: ComponentDescriptor, instance: UInt64) {
        (self.inspector, self.client, self.instance) = (inspector, client, instance)
    }

    var inspection: InspectionSwitch { inspector.inspection }

    func made(_ store: any InspectableStore) {
        inspector.made(store, client, instance)
    }

    func published(_ state: PublishedState, by store: ObjectIdentifier) {
        inspector.published(state, by: store)
    }
}
