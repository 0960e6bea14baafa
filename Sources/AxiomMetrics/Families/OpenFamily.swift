// SPDX-License-Identifier: Apache-2.0

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
    init(storage: FamilyStorage) {
        self.storage = storage
    }

    /// The family's definition.
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
    ///
    /// - Returns: Whether the child belonged to this family.
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
