// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// A client's state as readers list it.
package struct InspectedStore: Sendable {
    /// Constant while the store exists, and not used again.
    package let id: Int
    package let client: ComponentDescriptor
    /// The number of the client instance.
    package let instance: UInt64
    /// The name of the type of its state.
    package let type: String
    /// How many changes led to the current state.
    package let update: UInt64
    /// What the current state takes, as estimated.
    package let bytes: Int
    /// How many states are kept, and how many were dropped since the inspection began.
    package let kept: Int
    package let dropped: UInt64
    package let subscribers: [StateSubscriber]
}

/// An update whose result is kept.
package struct InspectedUpdate: Sendable {
    package let update: UInt64
    /// When it was published; if ``isFirst``, when the inspection began.
    package let at: Instant
    package let bytes: Int
    package let isFirst: Bool
    /// Nil if it is unknown.
    package let cause: StateCause?
}

/// One state of a store, and its kept updates.
package struct InspectedState: Sendable {
    package let store: InspectedStore
    /// The update that led to ``tree``.
    package let update: UInt64
    package let tree: StateTree
    /// The update before it that is kept; nil if there is none.
    package let before: UInt64?
    /// What differs from the state of ``before``.
    package let changes: [StateChange]
    /// The kept updates, the oldest first.
    package let updates: [InspectedUpdate]
}

// Reading is an inspection: it begins one, or prolongs it. It calls the application's code without a lock.
extension StateInspector {
    /// What is kept now, and what was dropped since the inspection began.
    package var keptCounts: (states: Int, bytes: Int, dropped: UInt64) {
        state.withLock { state in
            let count = state.kept.entries.values.reduce(0) { $0 + $1.count }
            return (count, state.kept.bytes, state.kept.dropped.values.reduce(0, +))
        }
    }

    /// All stores, the oldest first.
    package func stores() -> [InspectedStore] {
        inspect()
        let (stores, left) = state.withLock { state -> ([Store], [KeptStates.Entry]) in
            let left = state.removeReleased()
            return (state.stores.values.sorted { $0.id < $1.id }, left)
        }
        withExtendedLifetime(left) {}
        return stores.compactMap { read($0)?.reading }
    }

    /// The state of a store, and what changed in it; nil if there is no such store, or if the update is not kept.
    ///
    /// - Parameter update: The update that led to the state; nil for the current one.
    package func state(of id: Int, update: UInt64? = nil) -> InspectedState? {
        inspect()
        guard let store = state.withLock({ $0.stores[id] }), let (reading, current) = read(store) else { return nil }
        let entries = withCauses(of: id, store.client)
        let shown = update ?? reading.update
        let entry = entries.first { $0.update == shown }
        guard let value = entry?.published.state ?? (shown == reading.update ? current : nil) else { return nil }
        let before = entries.last { $0.update < shown }
        let tree = StateRenderer.tree(of: value)
        return InspectedState(
            store: reading,
            update: shown,
            tree: tree,
            before: before?.update,
            changes: before.map { StateRenderer.tree(of: $0.published.state).changes(to: tree) } ?? [],
            updates: entries.map(\.reading)
        )
    }

    /// What differs between two kept states; nil if one of them is not kept.
    package func changes(of id: Int, from: UInt64, to: UInt64) -> [StateChange]? {
        inspect()
        let entries = state.withLock { $0.kept.entries[id] ?? [] }
        guard let before = entries.first(where: { $0.update == from }),
            let after = entries.first(where: { $0.update == to })
        else { return nil }
        return StateRenderer.tree(of: before.published.state).changes(to: StateRenderer.tree(of: after.published.state))
    }

    /// A store and its current state; nil if it was released.
    private func read(_ store: Store) -> (reading: InspectedStore, current: any OwnedState)? {
        guard let found = store.store else { return nil }
        let (current, update) = found.numberedState
        let bytes = bytes(of: current, update, in: store)
        let (kept, dropped) = state.withLock { state in
            (state.kept.entries[store.id]?.count ?? 0, state.kept.dropped[store.id] ?? 0)
        }
        let reading = InspectedStore(
            id: store.id,
            client: store.client,
            instance: store.instance,
            type: found.stateType,
            update: update,
            bytes: bytes,
            kept: kept,
            dropped: dropped,
            subscribers: found.subscribers
        )
        return (reading, current)
    }

    /// Measures a state again only if it has changed.
    private func bytes(of current: any OwnedState, _ update: UInt64, in store: Store) -> Int {
        if let measured = store.measured, measured.update == update { return measured.bytes }
        var estimate = FootprintEstimate()
        let bytes = Int(exactly: estimate.bytes(of: current).rounded()) ?? .max
        state.withLock { $0.stores[store.id]?.measured = (update, bytes) }
        return bytes
    }

    /// The kept states of a store, with the causes that can be found now.
    private func withCauses(of id: Int, _ client: ComponentDescriptor) -> [KeptStates.Entry] {
        let entries = state.withLock { $0.kept.entries[id] ?? [] }
        let open = entries.filter { !$0.isFirst && $0.cause?.action == nil }
        guard let recorder, !open.isEmpty else { return entries }
        let causes = recorder.causes(
            of: open.map { CauselessUpdate(client: client, at: $0.published.at, span: $0.published.span) }
        )
        let found = zip(open, causes).compactMap { entry, cause in
            cause.map { (KeptStates.Key(store: id, update: entry.update), $0) }
        }
        return state.withLock { state in
            state.kept.note(Dictionary(found) { first, _ in first })
            return state.kept.entries[id] ?? []
        }
    }
}

extension KeptStates.Entry {
    fileprivate var reading: InspectedUpdate {
        InspectedUpdate(update: update, at: published.at, bytes: bytes, isFirst: isFirst, cause: cause)
    }
}

/// The action that changed a state.
package struct StateCause: Sendable, Hashable {
    package let trace: TraceID
    /// Nil while the action runs, and if its span was dropped before it was read.
    package let component: ComponentDescriptor?
    /// The case of the action.
    package let action: String?
}

/// An update whose cause is wanted.
struct CauselessUpdate: Sendable {
    let client: ComponentDescriptor
    let at: Instant
    let span: SpanContext
}

extension FlightRecorder {
    /// The actions that made updates, in the same order; nil where nothing is known. Reads the recorder once: about 1 ms.
    func causes(of updates: [CauselessUpdate]) -> [StateCause?] {
        let traces = Set(updates.lazy.filter { $0.span.trace != 0 }.map(\.span.trace))
        let clients = Set(updates.lazy.filter { $0.span.isNone }.map { self.names.number(of: $0.client) })
        var found: [UInt64: SpanWords] = [:]
        func take(_ span: SpanWords) {
            let isAlone = span.parent == 0 && span.kind == .clientAction && clients.contains(UInt64(span.component))
            if isAlone || traces.contains(span.trace) { found[span.span] = span }
        }
        ring.readEach(take)
        for trace in kept.all where traces.contains(trace.id) { trace.spans.forEach(take) }
        let spans = names.describe(found.values, TraceNames(self))
        let byTrace = Dictionary(grouping: spans, by: \.trace)
        let alone = spans.filter { $0.parent == nil && $0.kind == .clientAction }
        return updates.map { update in
            guard !update.span.isNone else { return Self.only(alone, update) }
            return cause(of: update, byTrace[traceID(of: update.span.trace)] ?? [])
        }
    }

    /// The client's action that ran at that time in the span of the update, or else the span itself.
    private func cause(of update: CauselessUpdate, _ spans: [Span]) -> StateCause {
        let trace = traceID(of: update.span.trace)
        let actions = spans.filter { span in
            span.kind == .clientAction && span.component == update.client && span.covers(update.at)
                && (span.id == update.span.span || span.parent == update.span.span)
        }
        let span = actions.max { $0.start < $1.start } ?? spans.first { $0.id == update.span.span }
        return StateCause(trace: trace, component: span?.component, action: span?.name)
    }

    /// The action of an update that ran outside of any span, if no other ran at that time.
    private static func only(_ spans: [Span], _ update: CauselessUpdate) -> StateCause? {
        let actions = spans.filter { $0.component == update.client && $0.covers(update.at) }
        guard actions.count == 1, let span = actions.first else { return nil }
        return StateCause(trace: span.trace, component: span.component, action: span.name)
    }
}

extension Span {
    fileprivate func covers(_ instant: Instant) -> Bool { start <= instant && instant <= end }
}
