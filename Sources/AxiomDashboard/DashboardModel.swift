// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics

/// Everything that a dashboard knows: the history, which grows by a point each second; the feed of events and problems; and
/// the rows, which are made while a page is open.
struct DashboardModel: Sendable {
    /// Differs between any two runs.
    let instance = String(UInt64.random(in: .min ... .max), radix: 36)
    private let registry: Registry
    let readings: Readings
    let name: String
    let features: Set<DashboardFeature>
    private(set) var history: History
    private(set) var feed = Feed()
    private var trends = TrendMemory()
    /// The problems of the latest observation, for the registry.
    let active = ActiveProblems()
    /// The lists as they were last made, for ticks.
    private(set) var lists: [EncodedList] = []
    private var ids = RowIDs()
    private var graph = GraphFindings()
    /// How the budgets stood some seconds ago.
    private var budgets: BudgetReport?
    /// The circuit breakers as they were last read. The dashboard reads them, because that runs code of the application.
    var breakers: [BreakerReading] = []
    /// Reads the scheduler's times of the threads, every ten seconds. A manual clock has nothing to do with them.
    var readThreads: @Sendable () -> [SchedulerTimes]
    /// How many processors there are.
    var processors = SchedulerTimes.processors
    private var threads: [SchedulerTimes] = []
    /// Of all threads since the first observation.
    private var times = SchedulerTimes()
    /// What the dashboard itself costs.
    var cost = OwnCost()

    init(
        _ registry: Registry,
        _ readings: Readings,
        _ name: String,
        _ clock: TimeSource,
        _ features: Set<DashboardFeature> = []
    ) {
        self.features = features
        self.registry = registry
        self.readings = readings
        self.name = name
        readThreads = { clock.isManual ? [] : SchedulerTimes.ofThreads() }
        history = History(clock, readings, &ids.components)
    }

    /// Reads the totals and adds a point to the history. Returns what a tick says of it.
    mutating func sample() -> TickPoints {
        history.sample(readings, &ids.components)
    }

    /// Looks for events and problems, and makes all rows. Cost: some microseconds for each row.
    mutating func rebuild() {
        var observed = observe(budgetInterval: 2)
        observed.addTraces(readings)
        observed.addSignals(readings)
        observed.addFacts(registry, readings, cost)
        let (problems, events) = (feed.problemRows, feed.eventRows)
        var source = RowSource(observed: observed, history: history, problems: problems, events: events, ids: ids)
        lists = ListKind.allCases.map { $0.list(&source) }
        ids = source.ids
    }

    var components: ComponentIndex { ids.components }

    /// Looks for events and problems while no page is open.
    mutating func survey() {
        _ = observe(budgetInterval: 5)
    }

    /// Writes the changes that fit into a tick, and marks them as sent. A tick that exceeds
    /// ``TickWriter/compressedLimit`` is written again with less room.
    func tick(_ points: TickPoints, _ delta: inout DeltaEncoder) -> ReplayBuffer.Tick {
        let (lists, headers, columns) = (lists, headers, columns)
        var limit = TickWriter.limit
        while true {
            var attempt = delta
            var writer = TickWriter(seq: history.seq, at: history.at, points, limit: limit)
            writer.fill(&attempt, lists, headers: headers, columns: columns)
            let tick = ReplayBuffer.Tick(seq: writer.seq, json: writer.json)
            if tick.size <= TickWriter.compressedLimit || limit <= TickWriter.safeLimit {
                delta = attempt
                return tick
            }
            limit = max(
                TickWriter.safeLimit,
                min(limit, tick.json.count) * TickWriter.compressedLimit / tick.size * 9 / 10
            )
        }
    }

    /// Closes a step of ten seconds, if one is over. Call it after the tick of the sample was sent.
    mutating func closeStep() {
        guard history.isStepOver else { return }
        history.closeStep(readings, ids.components, breakers, budgets)
        trends.record(history, readings, ids.components)
    }

    /// - Parameter budgetInterval: How many seconds old the report on budgets may be. It reads every histogram of every
    ///   budget.
    private mutating func observe(budgetInterval: Double) -> Observation {
        if budgets == nil || history.at.truncatingRemainder(dividingBy: budgetInterval) == 0 {
            budgets = readings.budgets
        }
        var observed = Observation(readings, breakers, budgets, graph)
        observed.processors = processors
        graph = observed.graph
        if history.isStepOver || history.counts.isEmpty {
            let now = readThreads()
            times.add(now, since: threads)
            threads = now
        }
        history.note(CountedEvent.totals(readings, breakers, times))
        let moment = ObservedMoment(
            observed: observed,
            history: history,
            components: ids.components,
            trends: trends.findings
        )
        active.publish(moment, feed.update(moment))
        return observed
    }

    // MARK: - What is sent

    /// The present columns of all heat maps, and those before them.
    var columns: [DeltaEncoder.Column] {
        history.heatMaps.ids.flatMap { id -> [DeltaEncoder.Column] in
            guard let ring = history.heatMaps.maps[id]?.fine, ring.count > 0 else { return [] }
            return [ring.lastStart - ring.step, ring.lastStart].compactMap { start in
                ring.value(at: start).map { DeltaEncoder.Column(id: id, start: start, column: $0) }
            }
        }
    }

    /// Writes the latest errors of groups.
    var occurrences: OccurrenceWriter {
        OccurrenceWriter(
            instance: instance,
            ids: ids,
            grid: history.grid,
            errors: readings.errors,
            monitor: readings.errorMonitor
        )
    }

    /// The tables for browsers without JavaScript, with the totals of the latest sample. Makes their rows alone, and
    /// collects nothing from the registry.
    ///
    /// - Parameter export: Where the page with whole tables is; nil for whole tables.
    mutating func tables(export: String?) -> NoscriptTables {
        var observed = Observation()
        observed.census = readings.components
        observed.lifetimes = readings.lifetimes
        observed.errors = readings.errors
        return NoscriptTables(
            components: ComponentRow.rows(observed, history, ids.components),
            calls: CallRow.rows(observed, history, ids.components),
            errors: ErrorRow.rows(observed, history, &ids),
            problems: feed.problemRows,
            at: history.at,
            index: ids.components,
            isInstrumented: readings.isInstrumented,
            export: export
        )
    }
}
