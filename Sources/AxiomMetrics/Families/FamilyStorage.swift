// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The series of one registered family. All children have the class of the instruments that `make` returns.
///
/// A look-up of an existing series takes no lock. A look-up of a new or a refused series takes the lock of `state`.
@usableFromInline
final class FamilyStorage: Sendable {
    let definition: MetricDefinition
    let labels: LabelTemplate
    let context: SeriesContext
    /// Whether idle series expire.
    private let expires: Bool
    /// The most bytes of one label value.
    private let valueLimit: Int
    /// The label types of `dense`.
    private let labelTypes: [ObjectIdentifier]
    /// Written only in `init`.
    private nonisolated(unsafe) var dense: DenseChildren?
    let make: @Sendable (SeriesHead) -> Instrument
    /// Called once per family, outside the lock.
    private let onOverflow: @Sendable (FamilyOverflow) -> Void
    /// The labels of the overflow child if the family declares label names. No other child has them.
    let overflowLabels: LabelSet?
    /// The children except the overflow child. All threads look up; changes need the lock of `state`.
    let table: ByteTable<Instrument>
    /// Guarded by its lock, which is held while a series is added or removed, never while sorting or reading.
    let state = Lock(SeriesState())
    /// The number of look-ups with a label value that was cut.
    let truncations = RefusalCount()

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
        table = ByteTable(context.epochs)
        expires = definition.idleExpiry != nil
        valueLimit = definition.limits.valueBytes
        self.make = make
        self.onOverflow = onOverflow
        overflowLabels = definition.hasOpenLabels ? nil : .overflow(of: definition.labelNames)
        labelTypes = enumerated.map(\.type)
        if !definition.hasLabels { _ = child(.none) }
        if isEnumerable(enumerated) {
            dense = DenseChildren(enumerated) { values in
                child(LabelSet(template: definition.labels, values: values.map(bounded)))
            }
        }
    }

    /// Whether all labels have known cases with few enough combinations.
    private func isEnumerable(_ labels: [EnumeratedLabel]) -> Bool {
        guard !labels.isEmpty, labels.count == definition.labelNames.count else { return false }
        var entries = 1
        var series = 1
        for label in labels {
            entries *= Int(label.cases.map(\.byte).max() ?? 0) + 1
            series *= label.cases.count
            guard entries <= DenseChildren.maximumCount, series <= definition.limits.series else { return false }
        }
        return true
    }

    /// The table of the children if its label values have these types.
    func dense(for types: [ObjectIdentifier]) -> DenseChildren? {
        types == labelTypes ? dense : nil
    }

    /// The value of a label, cut to the limit of the family. Counts values that were cut.
    @inline(__always)
    func bounded(_ value: String) -> String {
        value.utf8.count <= valueLimit ? value : truncated(value)
    }

    @inline(never)
    private func truncated(_ value: String) -> String {
        truncations.add()
        return SeriesLimits.truncated(value, to: valueLimit)
    }

    /// The child with these label values, a tuple in memory: of strings if there are no readers. Makes it if it is new;
    /// returns the overflow child if the family is full.
    @usableFromInline
    func child(_ values: UnsafeRawPointer, _ readers: [LabelReader]) -> Instrument {
        guard readers.isEmpty else { return readChild(values, readers) }
        return child(values.assumingMemoryBound(to: String.self))
    }

    @inline(never)
    private func readChild(_ values: UnsafeRawPointer, _ readers: [LabelReader]) -> Instrument {
        withUnsafeTemporaryAllocation(of: String.self, capacity: readers.count) { texts in
            for label in readers.indices { texts.initializeElement(at: label, to: readers[label].read(values)) }
            defer { texts.deinitialize() }
            return texts.baseAddress.map { child($0) } ?? child(.none)
        }
    }

    /// A string that is not contiguous is left out here, so that its series is not found, and `childOrNew` finds it.
    @inline(__always)
    private func child(_ values: UnsafePointer<String>) -> Instrument {
        let template = labels
        var key = LabelKey(seed: table.seed)
        for label in 0..<template.count {
            _ = values[label].utf8.withContiguousStorageIfAvailable { key.add(UnsafeRawBufferPointer($0)) }
        }
        let found = table.find(
            hash: key.hash,
            where: { $0.plainLabels == key.count && key.matches($0.tableKey, template, values) },
            { $0 }
        )
        guard let child = found else { return childOrNew(values) }
        if expires { child.lastLookUp.store(context.clock.now.nanoseconds, ordering: .relaxed) }
        return child
    }

    @inline(never)
    private func childOrNew(_ values: UnsafePointer<String>) -> Instrument {
        var writer = LabelWriter(seed: table.seed)
        for label in 0..<labels.count { writer.append(bounded(values[label]), labels) }
        let hash = writer.key.hash
        return writer.finish { child(rendered: $0, hash) }
    }

    /// The child with these labels, as for their values.
    func child(_ labels: LabelSet) -> Instrument {
        labels.rendered.withUnsafeBufferPointer { child(rendered: $0, labels.hash(seed: table.seed)) }
    }

    private func child(rendered labels: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Instrument {
        let found = table.find(UnsafeRawBufferPointer(labels), hash: hash)
        guard let child = found else { return childOrNew(labels, hash) }
        if expires { child.lastLookUp.store(context.clock.now.nanoseconds, ordering: .relaxed) }
        return child
    }

    @inline(never)
    private func childOrNew(_ labels: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Instrument {
        let now = !expires ? 0 : context.clock.now.nanoseconds
        let (child, report) = state.withLock { state in present(labels, hash, now, &state) }
        if let report { onOverflow(report) }
        return child
    }

    /// Removes a child; false if it does not belong to this family.
    @usableFromInline
    func remove(_ child: Instrument) -> Bool {
        state.withLock { state in
            guard state.removeOverflow(child) || take(child, &state) else { return false }
            dense?.invalidate()
            state.changed()
            return true
        }
    }

    @usableFromInline
    func removeAll() {
        state.withLock { state in
            table.removeAll()
            state.expiring = []
            state.overflowChild = nil
            state.bytes = 0
            dense?.invalidate()
            state.changed()
        }
    }

    func isOverflow(_ child: Instrument) -> Bool {
        state.withLock { $0.overflowChild === child }
    }

    /// The number of children.
    @usableFromInline var count: Int {
        state.withLock { table.count + $0.expiring.count + ($0.overflowChild == nil ? 0 : 1) }
    }

    /// The number of look-ups that found the family full or had a label value that was cut.
    var refusals: UInt64 { state.withLock { $0.overflow?.refusals ?? 0 } &+ truncations.value }

    /// The values of all children in the order of their labels.
    ///
    /// - Parameter found: Exemplars besides those that were recorded.
    func collect(_ found: FoundExemplars = .none) -> FamilySnapshot {
        state.withLock { expire(&$0) }
        let children = sortedChildren()
        let found = definition.storage == .exponential ? found : .none
        // Before the values, so that the values include the observations of all recorded exemplars.
        let hasExemplars = context.hasExemplars.load(ordering: .relaxed) || !found.isEmpty
        let exemplars = hasExemplars ? children.exemplars(and: found) : []
        return FamilySnapshot(
            definition: definition,
            series: children.series,
            samples: children.read(definition, now: context.clock.secondsSinceEpoch),
            exemplars: exemplars,
            overflow: state.withLock { $0.overflow },
            truncations: truncations.value
        )
    }

    private func sortedChildren() -> SortedChildren {
        let (sorted, unsorted, generation) = state.withLock { state in
            (state.sorted, state.sorted == nil ? allChildren(state) : [], state.generation)
        }
        if let sorted { return sorted }
        let fresh = SortedChildren(unsorted, context.constantLabels)
        state.withLock { if $0.generation == generation { $0.sorted = fresh } }
        return fresh
    }
}
