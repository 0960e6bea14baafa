// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Makes metrics and reads them. There is no global registry: pass it to the code that needs it.
///
/// ```swift
/// let registry = Registry()
/// let requests = try registry.counter("http_requests_total", help: "Requests served.")
/// requests.increment()
/// print(registry.collect().text)
/// ```
///
/// A second registration with the same definition returns the existing metric; with another definition it is an error. The
/// names of all families and of their samples are unique, and so are the series of each family.
public final class Registry: Sendable {
    struct Callback: Sendable {
        let definition: MetricDefinition
        let read: @Sendable () throws -> Double
    }

    struct State {
        var families: [ByteName: FamilyStorage] = [:]
        var callbacks: [ByteName: Callback] = [:]
        /// In the order of registration.
        var collectors: [CollectorSource] = []
        var asyncCollectors: [AsyncSource] = []
        var exemplarSource: (any ExemplarSource)?
        var lastRegistration: UInt64 = 0
        var claims = NameClaims()
        /// The labels of `target_info`, once it is registered.
        var target: LabelSet?
        var showsItself = false
    }

    /// The lock is never held while a callback or a collector runs, or an instrument is read.
    let state = Lock(State())

    let context: SeriesContext

    private let onOverflow: @Sendable (FamilyOverflow) -> Void
    let problems: ProblemReports
    let ownDefinitions = DefinitionCache()

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - clock: The clock of the creation times of series.
    ///   - onOverflow: Called once for each family that reaches a limit, on the thread of the first refused look-up. By
    ///     default a line is written to standard error by another thread.
    ///   - onProblem: Called if a collector or a callback throws, is late or returns invalid metrics, on the collecting
    ///     thread, at most once a minute for each problem. By default a line is written to standard error by another
    ///     thread. See also ``Snapshot/problems``.
    public init(
        clock: TimeSource = .live,
        onOverflow: @escaping @Sendable (FamilyOverflow) -> Void = { $0.log() },
        onProblem: @escaping @Sendable (MetricsError) -> Void = { $0.log() }
    ) {
        context = SeriesContext(clock: clock, constants: [])
        self.onOverflow = onOverflow
        problems = ProblemReports(onProblem)
    }

    /// Makes an empty registry whose pages show additional labels before those of each series: labels of the whole process
    /// that the scraper does not know.
    ///
    /// ```swift
    /// let registry = try Registry(constantLabels: ["region": "eu", "build": "1.4.2"])
    /// ```
    ///
    /// Instruments do not store them, so recording and look-ups cost the same.
    ///
    /// - Parameters:
    ///   - constantLabels: Names and values. A label with an empty value is absent; a value of more than 1,024 bytes is cut
    ///     as with the `valueByteLimit` of ``MetricOptions``.
    ///   - clock: As in ``init(clock:onOverflow:onProblem:)``, like the other parameters.
    /// - Throws: ``MetricsError`` if a name is malformed, reserved or given twice. A family that has a label with the name of
    ///   a constant label is refused when it is registered or collected.
    public init(
        constantLabels: KeyValuePairs<String, String>,
        clock: TimeSource = .live,
        onOverflow: @escaping @Sendable (FamilyOverflow) -> Void = { $0.log() },
        onProblem: @escaping @Sendable (MetricsError) -> Void = { $0.log() }
    ) throws(MetricsError) {
        try NameRules.check(labels: constantLabels.map(\.key), of: "the registry", .classic)
        context = SeriesContext(clock: clock, constants: constantLabels.map { (name: $0.key, value: $0.value) })
        self.onOverflow = onOverflow
        problems = ProblemReports(onProblem)
    }

    /// The clock of the deadline of ``collect(deadline:)``.
    package var clock: TimeSource { context.clock }

    /// The number of increments that counters refused because they were negative, infinite or NaN.
    package var refusedIncrements: UInt64 { context.refusedIncrements.value }

    /// The number of exemplars that were refused because they were too long or had invalid label names.
    package var refusedExemplars: UInt64 { context.refusedExemplars.value }

    /// Adds the registry's own metrics to its pages:
    /// - `axiom_metrics_series{family}`: the number of series of each family that holds at least half of its limit.
    /// - `axiom_metrics_overflow_total{family}`: the number of look-ups that found the family full or had a label value that
    ///   was cut.
    /// - `axiom_metrics_collection_problems_total{reason}`: how often metrics were missing because a collector or a callback
    ///   threw (`failed`), did not return in time (`late`) or returned invalid metrics (`invalid`).
    public func showOwnMetrics() {
        state.withLock { $0.showsItself = true }
    }

    /// The storage of a family: the registered one with this definition, or a new one.
    ///
    /// - Throws: ``MetricsError`` if the name is taken.
    func storage(
        _ definition: MetricDefinition,
        enumerated: [EnumeratedLabel],
        make: @escaping @Sendable (SeriesHead) -> Instrument
    ) throws(MetricsError) -> FamilyStorage {
        try context.checkConstants(beside: definition.labelNames, of: definition.name, definition.syntax)
        let name = ByteName(definition.name)
        return try state.withLock { state throws(MetricsError) in
            if let present = state.families[name] {
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
            state.families[name] = storage
            return storage
        }
    }
}
