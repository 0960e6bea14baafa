// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The series of one metric, told apart by labels whose number and types the compiler checks.
///
/// ```swift
/// let actions = try registry.counters(
///     "shop_actions_total", help: "Actions by outcome.", labels: Label<String>("action"), Label<Outcome>("outcome"))
/// let added = actions("add", .success)   // once
/// added.increment()                      // every time
/// ```
///
/// Asking for a child costs one look-up, which takes no lock while the child exists: threads do not wait for each other. A
/// child that is kept costs nothing to find. A family that has labels shows no series before its first child, unless the types of all its labels
/// are enums that are `CaseIterable`: then all combinations are there from the beginning, starting at 0, as long as they
/// are within the series limit and not more than 4,096, and asking for one of them is an array look-up.
public struct Family<Child: Instrument, each Value: LabelValue>: Sendable {
    /// All its children are of the class `Child`.
    @usableFromInline let storage: FamilyStorage
    /// The table of the family's children, when it was made for exactly these types of label values.
    /// Its memory lives as long as `storage`.
    @usableFromInline let dense: DenseIndex?

    /// `storage` must make children of the class `Child` (see `Registry+Families.swift`).
    init(storage: FamilyStorage) {
        self.storage = storage
        var types: [ObjectIdentifier] = []
        for type in repeat (each Value).self { types.append(ObjectIdentifier(type)) }
        dense = storage.dense(for: types)?.index
    }

    /// The family's definition.
    public var definition: MetricDefinition { storage.definition }

    /// The number of children.
    public var count: Int { storage.count }

    /// The instrument with these label values; the same object each time.
    @inlinable
    @inline(__always)
    public func callAsFunction(_ values: repeat each Value) -> Child {
        if let dense, dense.isValid.pointee.load(ordering: .relaxed) {
            var place = 0
            var label = 0
            // A custom `allCases` may leave cases out.
            var isKnown = true
            for value in repeat each values {
                let byte = Int(labelByte(value))
                isKnown = isKnown && byte < dense.sizes[label]
                place = place &* dense.sizes[label] &+ byte
                label &+= 1
            }
            if isKnown, let child = dense.table[place] {
                return unsafeDowncast(child.takeUnretainedValue(), to: Child.self)
            }
        }
        var writer = LabelWriter()
        for value in repeat each values { storage.append(value.labelValue, to: &writer) }
        return unsafeDowncast(storage.child(&writer), to: Child.self)
    }

    /// The instrument with these label values; the same object each time.
    @inlinable
    @inline(__always)
    public func child(_ values: repeat each Value) -> Child {
        callAsFunction(repeat each values)
    }

    /// Takes a series off the page. Who still holds the instrument records into it unseen; asking for the same label
    /// values again makes a new one that starts at 0.
    ///
    /// - Returns: Whether the child was one of this family's.
    @discardableResult
    @inlinable
    public func remove(_ child: Child) -> Bool {
        storage.remove(child)
    }

    /// Takes all series of the family off the page, as ``remove(_:)`` does.
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
