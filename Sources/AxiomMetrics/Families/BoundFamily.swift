// SPDX-License-Identifier: Apache-2.0

/// A ``Family`` whose first labels have their values already: what remains is given with each look-up.
///
/// ```swift
/// let requests = try registry.counters(
///     "http_requests_total", help: "Requests.", labels: Label<String>("method"), Label<Int>("status"))
/// let gets = BoundFamily(requests, "GET")
/// gets(200).increment()   // http_requests_total{method="GET",status="200"}
/// ```
///
/// The bound values are rendered once, so that a look-up costs less than one of the whole family. Its series are those of
/// the family, with the family's limits.
public struct BoundFamily<Child: Instrument, each Value: LabelValue>: Sendable {
    @usableFromInline let storage: FamilyStorage
    /// The labels that are bound, rendered.
    @usableFromInline let bound: [UInt8]
    /// How many they are.
    @usableFromInline let boundCount: Int

    /// Binds the first label of a family. Cost: an allocation.
    public init<First: LabelValue>(_ family: Family<Child, First, repeat each Value>, _ first: First) {
        storage = family.storage
        bound = Self.render(first.labelValue, after: [], 0, family.storage)
        boundCount = 1
    }

    /// Binds one label more.
    public init<First: LabelValue>(_ family: BoundFamily<Child, First, repeat each Value>, _ next: First) {
        storage = family.storage
        bound = Self.render(next.labelValue, after: family.bound, family.boundCount, family.storage)
        boundCount = family.boundCount + 1
    }

    private static func render(_ value: String, after bound: [UInt8], _ count: Int, _ storage: FamilyStorage) -> [UInt8]
    {
        var writer = LabelWriter(resuming: bound, labels: count)
        storage.append(value, to: &writer)
        return writer.finish { [UInt8]($0) }
    }

    /// The family's definition, with all its labels.
    public var definition: MetricDefinition { storage.definition }

    /// The instrument with the bound label values and these; the same object each time.
    @inlinable
    public func callAsFunction(_ values: repeat each Value) -> Child {
        var writer = LabelWriter(resuming: bound, labels: boundCount)
        for value in repeat each values { storage.append(value.labelValue, to: &writer) }
        // The family's children are of the class `Child`.
        return unsafeDowncast(storage.child(&writer), to: Child.self)
    }
}
