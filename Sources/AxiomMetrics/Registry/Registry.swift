// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where metrics are made and from where they are read. There is no global one: pass yours to who needs it.
///
/// ```swift
/// let registry = Registry()
/// let requests = try registry.counter("http_requests_total", help: "Requests served.")
/// requests.increment()
/// print(TextEncoder().encode(registry.collect()))
/// ```
///
/// Registering a metric again under the same definition gives the one that is there; under another definition it is
/// an error. The names of all families and of their samples are unique, and so are the series of each family.
public final class Registry: Sendable {
    struct Callback: Sendable {
        let definition: MetricDefinition
        let read: @Sendable () throws -> Double
    }

    struct State {
        var families: [String: FamilyStorage] = [:]
        var callbacks: [String: Callback] = [:]
        var collectors: [any Collector] = []
        var claims = NameClaims()
    }

    /// Guarded by its lock, which is never held while a callback, a collector or an instrument runs.
    let state = Mutex(State())
    let refusals = RefusalCount()

    /// Makes an empty registry.
    public init() {}

    /// How many increments floating-point counters have refused because they were negative, infinite or NaN.
    public var refusedIncrements: UInt64 { refusals.value }

    /// Asks `collector` for its families at every scrape.
    public func register(_ collector: some Collector) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// The storage of a family: the one that is registered under this definition, or a new one.
    ///
    /// - Throws: ``MetricsError`` when the name is taken by something else.
    func storage(
        _ definition: MetricDefinition,
        make: @escaping @Sendable (LabelSet) -> Instrument
    ) throws(MetricsError) -> FamilyStorage {
        try state.withLock { state throws(MetricsError) in
            if let present = state.families[definition.name] {
                guard let difference = present.definition.difference(from: definition) else { return present }
                throw MetricsError(
                    .conflictingDefinition,
                    "\(definition.name) was registered \(difference): register it the same way, or rename one.",
                    family: definition.name
                )
            }
            try state.claims.claim(definition)
            let storage = FamilyStorage(definition, make: make)
            state.families[definition.name] = storage
            return storage
        }
    }
}
