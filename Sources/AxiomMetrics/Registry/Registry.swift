// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

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
        /// In the order of their registration.
        var collectors: [(id: CollectorRegistration, collector: any Collector)] = []
        var asyncCollectors: [AsyncSource] = []
        var lastRegistration: UInt64 = 0
        var claims = NameClaims()
        var showsItself = false
    }

    /// Guarded by its lock, which is never held while a callback, a collector or an instrument runs.
    let state = Lock(State())

    let context: SeriesContext

    private let onOverflow: @Sendable (FamilyOverflow) -> Void

    /// Makes an empty registry.
    ///
    /// - Parameters:
    ///   - clock: Where the times at which series begin come from.
    ///   - onOverflow: Told once for each family that has reached its series limit, on the thread whose look-up was the
    ///     first to be refused. Writes one line to standard error unless told otherwise.
    public init(clock: TimeSource = .live, onOverflow: @escaping @Sendable (FamilyOverflow) -> Void = { $0.log() }) {
        context = SeriesContext(clock: clock)
        self.onOverflow = onOverflow
    }

    /// The clock on whose time line the deadline of ``collect(deadline:)`` lies.
    public var clock: TimeSource { context.clock }

    /// How many increments floating-point counters have refused because they were negative, infinite or NaN.
    public var refusedIncrements: UInt64 { context.refusedIncrements.value }

    /// How many exemplars were not kept because they were too long, or their label names no names.
    public var refusedExemplars: UInt64 { context.refusedExemplars.value }

    /// Puts the registry's own metrics on the page: `axiom_metrics_series{family}`, how many series each family with labels
    /// has, and `axiom_metrics_overflow_total{family}`, how many look-ups found it full.
    public func showOwnMetrics() {
        state.withLock { $0.showsItself = true }
    }

    /// The storage of a family: the one that is registered under this definition, or a new one.
    ///
    /// - Throws: ``MetricsError`` when the name is taken by something else.
    func storage(
        _ definition: MetricDefinition,
        enumerated: [EnumeratedLabel],
        make: @escaping @Sendable (SeriesHead) -> Instrument
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
            let storage = FamilyStorage(
                definition,
                context: context,
                enumerated: enumerated,
                onOverflow: onOverflow,
                make: make
            )
            state.families[definition.name] = storage
            return storage
        }
    }
}
