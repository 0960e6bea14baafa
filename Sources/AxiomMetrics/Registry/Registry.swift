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
        var families: [ByteName: FamilyStorage] = [:]
        var callbacks: [ByteName: Callback] = [:]
        /// In the order of their registration.
        var collectors: [CollectorSource] = []
        var asyncCollectors: [AsyncSource] = []
        var lastRegistration: UInt64 = 0
        var claims = NameClaims()
        var showsItself = false
    }

    /// Guarded by its lock, which is never held while a callback, a collector or an instrument runs.
    let state = Lock(State())

    let context: SeriesContext

    private let onOverflow: @Sendable (FamilyOverflow) -> Void
    let problems: ProblemReports
    /// The definitions of the registry's own families.
    let ownDefinitions = DefinitionCache()

    /// Makes an empty registry.
    ///
    /// - Parameters:
    ///   - clock: Where the times at which series begin come from.
    ///   - onOverflow: Called once for each family that has reached a limit, on the thread whose look-up was the first to
    ///     be refused. Writes one line to standard error by default.
    ///   - onProblem: Called when a collector or a callback throws, is late or gives what no page can show, on the thread
    ///     that collects, at most once a minute for each problem. Writes one line to standard error by default. See also
    ///     ``Snapshot/problems``.
    public init(
        clock: TimeSource = .live,
        onOverflow: @escaping @Sendable (FamilyOverflow) -> Void = { $0.log() },
        onProblem: @escaping @Sendable (MetricsError) -> Void = { $0.log() }
    ) {
        context = SeriesContext(clock: clock, constants: [])
        self.onOverflow = onOverflow
        problems = ProblemReports(onProblem)
    }

    /// Makes an empty registry whose series all have some labels more on every page, before their own: what is the same
    /// for the whole process, and what the scraper cannot know.
    ///
    /// ```swift
    /// let registry = try Registry(constantLabels: ["region": "eu", "build": "1.4.2"])
    /// ```
    ///
    /// Instruments do not have them, and recording and looking up cost nothing more.
    ///
    /// - Parameters:
    ///   - constantLabels: Names and values. A label whose value is empty is absent; one of more than 1,024 bytes is cut
    ///     as ``MetricOptions/valueByteLimit`` says.
    ///   - clock: As of ``init(clock:onOverflow:onProblem:)``, and so are the others.
    /// - Throws: ``MetricsError`` when a name is malformed, reserved or given twice. A family one of whose labels has the
    ///   name of a constant one is refused when it is registered or collected.
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

    /// The clock on whose time line the deadline of ``collect(deadline:)`` lies.
    public var clock: TimeSource { context.clock }

    /// How many increments counters have refused because they were negative, infinite or NaN.
    public var refusedIncrements: UInt64 { context.refusedIncrements.value }

    /// How many exemplars were not kept because they were too long, or their label names no names.
    public var refusedExemplars: UInt64 { context.refusedExemplars.value }

    /// Puts the registry's own metrics on the page:
    /// - `axiom_metrics_series{family}`: how many series each family with labels has.
    /// - `axiom_metrics_overflow_total{family}`: how many look-ups found it full, or had a label value that was cut.
    /// - `axiom_metrics_collection_problems_total{reason}`: how often a collector or a callback threw (`failed`), did not
    ///   answer in time (`late`) or gave what no page can show (`invalid`), so that metrics were missing from a page.
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
        try context.checkConstants(beside: definition.ownLabelNames, of: definition.name, definition.syntax)
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
