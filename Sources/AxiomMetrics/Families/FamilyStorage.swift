// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The series of one registered family. All its children are of one class, the one that `make` makes.
@usableFromInline
final class FamilyStorage: Sendable {
    private struct State {
        var table = ChildTable()
        /// The children in the order of the page; nil since a child came or went.
        var sorted: SortedChildren?
        /// The child for what there is no room for, and what went there; nil while there was room for all.
        var overflowChild: Instrument?
        var overflow: FamilyOverflow?
        /// When each child was last looked up, in nanoseconds; only of families whose series expire.
        var lookUps: [ObjectIdentifier: Int64] = [:]
        /// Grows with every child that comes or goes.
        var generation: UInt64 = 0

        /// The children in no particular order.
        var children: [Instrument] { table.children + (overflowChild.map { [$0] } ?? []) }

        /// Forgets the overflow child, if this is it; what was refused stays known.
        mutating func removeOverflow(_ child: Instrument) -> Bool {
            guard overflowChild === child else { return false }
            overflowChild = nil
            return true
        }

        mutating func changed() {
            sorted = nil
            generation &+= 1
        }
    }

    let definition: MetricDefinition
    let labels: LabelTemplate
    private let context: SeriesContext
    /// Whether idle series are dropped.
    private let expires: Bool
    /// The types for which `dense` was made.
    private let labelTypes: [ObjectIdentifier]
    /// Written in `init` only.
    private nonisolated(unsafe) var dense: DenseChildren?
    private let make: @Sendable (SeriesHead) -> Instrument
    /// Told once, outside the lock.
    private let onOverflow: @Sendable (FamilyOverflow) -> Void
    /// The labels of the overflow child, where their names are known. Nobody else gets them: who asks for exactly these
    /// is refused too.
    private let overflowLabels: LabelSet?
    /// Guarded by its lock, which is held for a look-up, an insertion or a removal, never while sorting or reading.
    private let state = Lock(State())

    init(
        _ definition: MetricDefinition,
        context: SeriesContext,
        enumerated: [EnumeratedLabel],
        onOverflow: @escaping @Sendable (FamilyOverflow) -> Void,
        make: @escaping @Sendable (SeriesHead) -> Instrument
    ) {
        self.definition = definition
        labels = definition.labels
        self.context = context
        expires = definition.idleExpiry != nil
        self.make = make
        self.onOverflow = onOverflow
        overflowLabels = definition.hasOpenLabels ? nil : .overflow(of: definition.labelNames)
        labelTypes = enumerated.map(\.type)
        if !definition.hasLabels { _ = child(rendered: UnsafeBufferPointer(start: nil, count: 0)) }
        if isEnumerable(enumerated) {
            dense = DenseChildren(enumerated) { values in
                let labels = LabelSet(template: definition.labels, values: values)
                return labels.rendered.withUnsafeBufferPointer { child(rendered: $0) }
            }
        }
    }

    /// Whether all labels have known cases, and few enough of them.
    private func isEnumerable(_ labels: [EnumeratedLabel]) -> Bool {
        guard !labels.isEmpty, labels.count == definition.labelNames.count else { return false }
        var places = 1
        var series = 1
        for label in labels {
            places *= Int(label.cases.map(\.byte).max() ?? 0) + 1
            series *= label.cases.count
            guard places <= DenseChildren.maximumCount, series <= definition.seriesLimit else { return false }
        }
        return true
    }

    /// The table of the children, when it was made for label values of these types.
    func dense(for types: [ObjectIdentifier]) -> DenseChildren? {
        types == labelTypes ? dense : nil
    }

    /// Writes the value of the next label.
    @usableFromInline
    func append(_ value: String, to writer: inout LabelWriter) {
        writer.append(value, labels)
    }

    /// The child with the labels that `writer` has rendered, made when it is new.
    @usableFromInline
    func child(_ writer: inout LabelWriter) -> Instrument {
        writer.finish { child(rendered: $0) }
    }

    /// The child with these rendered labels, made when it is new; the overflow child when there is no room for it.
    func child(rendered labels: UnsafeBufferPointer<UInt8>) -> Instrument {
        // The usual way, short: a child that is there, of a family whose series stay.
        if !expires, let child = state.withLock({ $0.table.find(labels, hash: $0.table.hash(labels)) }) { return child }
        return childOrNew(labels)
    }

    @inline(never)
    private func childOrNew(_ labels: UnsafeBufferPointer<UInt8>) -> Instrument {
        let now = !expires ? 0 : context.clock.now.nanoseconds
        let (child, report) = state.withLock { state -> (Instrument, FamilyOverflow?) in
            let hash = state.table.hash(labels)
            if let child = state.table.find(labels, hash: hash) {
                if expires { state.lookUps[ObjectIdentifier(child)] = now }
                return (child, nil)
            }
            if !labels.isEmpty, state.table.count >= definition.seriesLimit || areReserved(labels) {
                return refuse(labels, &state)
            }
            let child = make(head(LabelSet(copying: labels)))
            state.table.insert(child, hash: hash)
            if expires { state.lookUps[ObjectIdentifier(child)] = now }
            state.changed()
            return (child, nil)
        }
        if let report { onOverflow(report) }
        return child
    }

    private func head(_ labels: LabelSet) -> SeriesHead {
        SeriesHead(labels: labels, created: context.clock.secondsSinceEpoch, context: context)
    }

    /// Whether these are labels of the overflow child.
    private func areReserved(_ labels: UnsafeBufferPointer<UInt8>) -> Bool {
        if let overflowLabels { return overflowLabels.matches(labels) }
        return LabelSet.overflow(of: LabelSet(copying: labels).pairs.map(\.name)).matches(labels)
    }

    /// Sends a look-up to the overflow child; says so the first time. Where label names are open, those of the first
    /// refused series are kept.
    private func refuse(
        _ labels: UnsafeBufferPointer<UInt8>,
        _ state: inout State
    ) -> (Instrument, FamilyOverflow?) {
        let isFirst = state.overflow == nil
        var overflow =
            state.overflow
            ?? FamilyOverflow(
                family: definition.name,
                limit: definition.seriesLimit,
                refusals: 0,
                first: String(decoding: labels.prefix(512), as: UTF8.self),
                time: context.clock.secondsSinceEpoch
            )
        overflow.refusals &+= 1
        state.overflow = overflow
        if let child = state.overflowChild { return (child, isFirst ? overflow : nil) }
        let names = overflowLabels == nil ? LabelSet(copying: labels).pairs.map(\.name) : []
        let child = make(head(overflowLabels ?? .overflow(of: names)))
        state.overflowChild = child
        state.changed()
        return (child, isFirst ? overflow : nil)
    }

    /// Forgets the children that nobody holds and nobody has looked up for as long as the definition says. Who holds a
    /// child may record into it at any time without a look-up, so that it stays.
    private func expire() {
        guard let expiry = definition.idleExpiry else { return }
        let now = context.clock.now
        state.withLock { state in
            let idle = state.lookUps.filter {
                Instant(nanoseconds: $0.value).advanced(by: expiry) <= now
            }
            guard !idle.isEmpty else { return }
            // The cached order holds the children too.
            state.sorted = nil
            for child in state.table.removeUnreferenced(where: { idle[ObjectIdentifier($0)] != nil }) {
                state.lookUps[child] = nil
                state.changed()
            }
        }
    }

    /// Forgets a child; false when it is not one of this family's, or no longer.
    @usableFromInline
    func remove(_ child: Instrument) -> Bool {
        state.withLock { state in
            guard state.removeOverflow(child) || state.table.remove(child) else { return false }
            state.lookUps[ObjectIdentifier(child)] = nil
            dense?.invalidate()
            state.changed()
            return true
        }
    }

    /// Forgets all children.
    @usableFromInline
    func removeAll() {
        state.withLock { state in
            state.table = ChildTable()
            state.overflowChild = nil
            state.lookUps = [:]
            dense?.invalidate()
            state.changed()
        }
    }

    /// Whether this is the child for what there is no room for.
    func isOverflow(_ child: Instrument) -> Bool {
        state.withLock { $0.overflowChild === child }
    }

    /// The number of children.
    @usableFromInline var count: Int {
        state.withLock { $0.table.count + ($0.overflowChild == nil ? 0 : 1) }
    }

    /// How many look-ups found the family full.
    var refusals: UInt64 { state.withLock { $0.overflow?.refusals ?? 0 } }

    /// The values of all children, in the order of their labels.
    func collect() -> FamilySnapshot {
        expire()
        let children = sortedChildren()
        // Before the values, so that no exemplar is of an observation that the values do not have yet.
        let exemplars = context.hasExemplars.load(ordering: .relaxed) ? children.exemplars : []
        return FamilySnapshot(
            definition: definition,
            series: children.series,
            samples: children.read(definition, now: context.clock.secondsSinceEpoch),
            exemplars: exemplars,
            overflow: state.withLock { $0.overflow }
        )
    }

    private func sortedChildren() -> SortedChildren {
        let (sorted, unsorted, generation) = state.withLock { state in
            (state.sorted, state.sorted == nil ? state.children : [], state.generation)
        }
        if let sorted { return sorted }
        let fresh = SortedChildren(unsorted, definition)
        state.withLock { if $0.generation == generation { $0.sorted = fresh } }
        return fresh
    }
}
