// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The series of one registered family. All its children are of one class, the one that `make` makes.
@usableFromInline
final class FamilyStorage: Sendable {
    private struct State {
        var table = ChildTable()
        /// The children in the order of the page; nil since a child came or went.
        var sorted: SortedChildren?
        /// Grows with every child that comes or goes.
        var generation: UInt64 = 0

        mutating func changed() {
            sorted = nil
            generation &+= 1
        }
    }

    let definition: MetricDefinition
    private let make: @Sendable (LabelSet) -> Instrument
    /// Guarded by its lock, which is held for a look-up, an insertion or a removal, never while sorting or reading.
    private let state = Mutex(State())
    /// Held while the values are read: one reader at a time, as ``Histogram/foldNanoseconds()`` demands.
    private let reading = Mutex(())

    init(_ definition: MetricDefinition, make: @escaping @Sendable (LabelSet) -> Instrument) {
        self.definition = definition
        self.make = make
        if definition.labelNames.isEmpty { _ = child(rendered: UnsafeBufferPointer(start: nil, count: 0)) }
    }

    @usableFromInline var labels: LabelTemplate { definition.labels }

    /// The child with the labels that `writer` has rendered, made when it is new.
    @usableFromInline
    func child(_ writer: inout LabelWriter) -> Instrument {
        writer.finish { child(rendered: $0) }
    }

    /// The child with these rendered labels, made when it is new.
    func child(rendered labels: UnsafeBufferPointer<UInt8>) -> Instrument {
        state.withLock { state in
            let hash = state.table.hash(labels)
            if let child = state.table.find(labels, hash: hash) { return child }
            let child = make(LabelSet(copying: labels))
            state.table.insert(child, hash: hash)
            state.changed()
            return child
        }
    }

    /// Forgets a child; false when it is not one of this family's, or no longer.
    @usableFromInline
    func remove(_ child: Instrument) -> Bool {
        state.withLock { state in
            guard state.table.remove(child) else { return false }
            state.changed()
            return true
        }
    }

    /// Forgets all children.
    @usableFromInline
    func removeAll() {
        state.withLock { state in
            state.table = ChildTable()
            state.changed()
        }
    }

    /// The number of children.
    @usableFromInline var count: Int {
        state.withLock { $0.table.count }
    }

    /// The values of all children, in the order of their labels.
    func collect() -> FamilySnapshot {
        let children = sortedChildren()
        let samples = reading.withLock { _ in children.read(definition) }
        return FamilySnapshot(definition: definition, labels: children.labels, samples: samples)
    }

    private func sortedChildren() -> SortedChildren {
        let (sorted, unsorted, generation) = state.withLock { state in
            (state.sorted, state.sorted == nil ? state.table.children : [], state.generation)
        }
        if let sorted { return sorted }
        let fresh = SortedChildren(unsorted)
        state.withLock { if $0.generation == generation { $0.sorted = fresh } }
        return fresh
    }
}

/// The children of a family in the order of the page, with their labels beside them, as snapshots share them.
struct SortedChildren: Sendable {
    let children: [Instrument]
    let labels: [LabelSet]

    init(_ unsorted: [Instrument]) {
        children = unsorted.sorted { $0.labels < $1.labels }
        labels = children.map(\.labels)
    }

    /// Reads all values.
    ///
    /// The casts are not checked: a family's `make` is chosen together with its value storage, in
    /// `Registry+Instruments.swift` and nowhere else.
    func read(_ definition: MetricDefinition) -> Samples {
        switch definition.storage {
        case .integerCounter:
            .integers(children.map { unsafeDowncast($0, to: Counter.self).value })
        case .floatCounter:
            .numbers(children.map { unsafeDowncast($0, to: FloatCounter.self).value })
        case .histogram:
            .histograms(HistogramSamples(children, buckets: definition.buckets.upperBounds.count + 1))
        case .gauge, .information, .callback, .collected:
            .numbers(children.map { unsafeDowncast($0, to: Gauge.self).value })
        }
    }
}
