// SPDX-License-Identifier: Apache-2.0

/// The series of one metric, each of which brings the names of its labels along: for what records through another
/// library's interface, where nobody can declare them. Prefer a ``Family``, whose labels the compiler checks.
///
/// Names may differ from series to series; to Prometheus an absent label is one with an empty value. The series are
/// unique whatever the order in which labels are given, and bounded as those of every family. The overflow series has
/// the label names of the first series that was refused.
public struct OpenFamily<Child: Instrument>: Sendable {
    /// All its children are of the class `Child`.
    private let storage: FamilyStorage

    /// `storage` must make children of the class `Child` (see `Registry+OpenFamilies.swift`).
    init(storage: FamilyStorage) {
        self.storage = storage
    }

    /// The family's definition.
    public var definition: MetricDefinition { storage.definition }

    /// The number of children.
    public var count: Int { storage.count }

    /// The instrument with these labels, in any order; the same object each time.
    ///
    /// Cost: some allocations and a look-up. Keep the instrument where that is too much.
    ///
    /// - Throws: ``MetricsError`` when a name is malformed, reserved or given twice.
    public func callAsFunction(_ labels: [(name: String, value: String)]) throws(MetricsError) -> Child {
        // Valid names are ASCII, so that the order of the text is the order of the bytes.
        let sorted = labels.sorted { $0.name < $1.name }
        let names = sorted.map(\.name)
        try NameRules.check(labels: names, of: definition.name, .classic)
        try storage.context.checkConstants(beside: names, of: definition.name, .classic)
        let set = LabelSet(template: LabelTemplate(names: names), values: sorted.map { storage.bounded($0.value) })
        return set.rendered.withUnsafeBufferPointer { unsafeDowncast(storage.child(rendered: $0), to: Child.self) }
    }

    /// Takes a series off the page, as ``Family/remove(_:)`` does.
    ///
    /// - Returns: Whether the child was one of this family's.
    @discardableResult
    public func remove(_ child: Child) -> Bool {
        storage.remove(child)
    }

    /// Takes all series of the family off the page, as ``remove(_:)`` does.
    public func removeAll() {
        storage.removeAll()
    }

    /// Whether this is the instrument for what there is no room for. Who remembers it for some labels keeps the
    /// family from counting how often it was refused.
    package func isOverflow(_ child: Child) -> Bool {
        storage.isOverflow(child)
    }
}
