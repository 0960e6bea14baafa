// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The series of one metric. The compiler checks the number and the types of the label values.
///
/// ```swift
/// let actions = try registry.counters(
///     "shop_actions_total", help: "Actions by outcome.", labels: Label<String>("action"), Label<Outcome>("outcome"))
/// let added = actions("add", .success)   // once
/// added.increment()                      // every time
/// ```
///
/// A call costs one look-up, which takes no lock if the child exists. Keep the child to save the look-up.
///
/// A family with labels has no series until the first child is made, unless the types of all labels are `CaseIterable`
/// enums. Then all combinations exist from the beginning with the value 0, and a look-up only indexes an array. This
/// requires that the combinations are within the series limit and not more than 4,096.
public struct Family<Child: Instrument, each Value: LabelValue>: Sendable {
    /// All its children are of the class `Child`.
    @usableFromInline let storage: FamilyStorage
    /// The table of the children, if there is one for exactly these types of label values. Its memory lives as long as
    /// `storage`.
    @usableFromInline let dense: DenseIndex?
    /// Of the label values; empty if all are strings.
    @usableFromInline let readers: [LabelReader]

    /// `storage` must make children of the class `Child` (see `MetricRecipe`).
    init(storage: FamilyStorage) {
        self.storage = storage
        var types: [ObjectIdentifier] = []
        var readers: [LabelReader] = []
        for type in repeat (each Value).self {
            types.append(ObjectIdentifier(type))
            readers.append(LabelReader(type, after: readers.last))
        }
        self.readers = readers.allSatisfy(\.isString) ? [] : readers
        dense = storage.dense(for: types)?.index
    }

    package var definition: MetricDefinition { storage.definition }

    /// The number of children.
    package var count: Int { storage.count }

    /// The instrument with these label values, always the same object.
    @inlinable
    @inline(__always)
    public func callAsFunction(_ values: repeat each Value) -> Child {
        // The compiler knows the size: for strings it leaves this out.
        if MemoryLayout<(repeat each Value)>.size < MemoryLayout<String>.size, let dense,
            dense.isValid.pointee.load(ordering: .relaxed)
        {
            var index = 0
            var label = 0
            // A custom `allCases` may omit cases.
            var isKnown = true
            for value in repeat each values {
                let byte = Int(labelByte(value))
                isKnown = isKnown && byte < dense.sizes[label]
                index = index &* dense.sizes[label] &+ byte
                label &+= 1
            }
            if isKnown, let child = dense.table[index] {
                return unsafeDowncast(child.takeUnretainedValue(), to: Child.self)
            }
        }
        // In a tuple the compiler keeps the values without further copies; a loop over the pack would copy each.
        let tuple = (repeat each values)
        return withUnsafePointer(to: tuple) {
            unsafeDowncast(storage.child(UnsafeRawPointer($0), readers), to: Child.self)
        }
    }

    /// Removes a series. Values recorded into the instrument afterwards are not shown. A look-up with the same label values
    /// makes a new instrument that starts at 0.
    ///
    /// - Returns: Whether the child belonged to this family.
    @discardableResult
    @inlinable
    public func remove(_ child: Child) -> Bool {
        storage.remove(child)
    }

    /// Removes all series of the family, as ``remove(_:)`` does.
    @inlinable
    public func removeAll() {
        storage.removeAll()
    }
}

extension Family where Child == Counter {
    /// The sum over all series of the family. Cost: one addition for each of them.
    package var total: UInt64 {
        guard case .integers(let values) = storage.collect().samples else { return 0 }
        return values.reduce(0, &+)
    }
}

/// The series of one metric, each with its own label names: for metrics that are recorded through the interface of another
/// library, which does not declare labels. Prefer a ``Family``, whose labels the compiler checks.
///
/// Names may differ from series to series; for Prometheus an absent label is one with an empty value. The order of the
/// labels makes no difference, and the limits are those of every family. The overflow series has the label names of the
/// first refused series.
package struct OpenFamily<Child: Instrument>: Sendable {
    /// All its children are of the class `Child`.
    private let storage: FamilyStorage

    /// `storage` must make children of the class `Child` (see `MetricRecipe`).
    init(storage: FamilyStorage) { self.storage = storage }

    package var definition: MetricDefinition { storage.definition }

    /// The number of children.
    package var count: Int { storage.count }

    /// The instrument with these labels in any order, always the same object.
    ///
    /// Cost: some allocations and a look-up. Keep the instrument if that is too much.
    ///
    /// - Throws: ``MetricsError`` if a name is malformed, reserved or given twice.
    package func callAsFunction(_ labels: [(name: String, value: String)]) throws(MetricsError) -> Child {
        // Valid names are ASCII, so the order of the strings is the order of the bytes.
        let sorted = labels.sorted { $0.name < $1.name }
        let names = sorted.map(\.name)
        try NameRules.check(labels: names, of: definition.name, .classic)
        try storage.context.checkConstants(beside: names, of: definition.name, .classic)
        let set = LabelSet(template: LabelTemplate(names: names), values: sorted.map { storage.bounded($0.value) })
        return unsafeDowncast(storage.child(set), to: Child.self)
    }

    /// Removes a series, as ``Family/remove(_:)`` does.
    @discardableResult
    package func remove(_ child: Child) -> Bool {
        storage.remove(child)
    }

    /// Removes all series of the family, as ``remove(_:)`` does.
    package func removeAll() {
        storage.removeAll()
    }

    /// Whether this is the overflow instrument. A caller that caches it for some labels prevents the family from counting
    /// further refusals.
    package func isOverflow(_ child: Child) -> Bool {
        storage.isOverflow(child)
    }
}
