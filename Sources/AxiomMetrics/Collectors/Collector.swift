// SPDX-License-Identifier: Apache-2.0

/// A source of metrics that are computed at each collection: living components, statistics of the process.
///
/// Every collection calls the collector on its own thread; concurrent collections call it concurrently. It must not wait.
/// The returned families are checked: an invalid one is omitted and reported in ``Snapshot/problems``, and the rest of
/// the page is not affected.
public protocol Collector: Sendable {
    /// The current families.
    ///
    /// - Throws: Any error. All families of this collector are then missing from the page, and the error is reported.
    func collect() throws -> [CollectedFamily]
}

/// A ``Collector`` that may wait: for a database, an actor, another process.
///
/// ``Registry/collect(deadline:)`` calls it and cancels it when the deadline passes; it should then return soon. It is not
/// called again before it has returned. The returned families are checked like those of a ``Collector``.
public protocol AsyncCollector: Sendable {
    /// The current families.
    ///
    /// - Throws: Any error. All families of this collector are then missing from the page, and the error is reported.
    func collect() async throws -> [CollectedFamily]
}

/// Identifies a registered collector, to unregister it.
public struct CollectorRegistration: Hashable, Sendable {
    let id: UInt64
}

/// A registered collector.
struct CollectorSource: Sendable {
    let id: CollectorRegistration
    let collector: any Collector
    let definitions = DefinitionCache()

    init(_ id: CollectorRegistration, _ collector: any Collector) {
        self.id = id
        self.collector = collector
    }
}
