// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

/// All that a dashboard knows: the history, which grows by a point each second, and the lists, which are made when
/// somebody looks.
struct DashboardModel: Sendable {
    /// The rings of the charts.
    struct History: Sendable {
        var fine = TimeRing<Point>(step: 1, capacity: 900)
        var coarse = TimeRing<Point>(step: 60, capacity: 1_440)
    }

    /// How many seconds rates and percentiles of rows look back.
    static let window = 60.0
    private static let markInterval = 10.0

    let registry: Registry
    let telemetry: Telemetry?
    let clock: TimeSource
    /// Differs between any two runs.
    let instance: String
    let name: String
    let startedAt: Double

    var grid: TimeGrid
    /// Grows by one with each sample.
    private(set) var seq = 0
    /// The moment of the latest sample, on the grid.
    private(set) var at: Double
    var components = ComponentBook()
    var actions = ActionTotals()
    var history = History()
    var latency = LatencyBoard()
    /// Calls per second in the last steps of 10 s, by component.
    var sparks: [Int: [Double]] = [:]
    var problems = ProblemBook()
    var feed = EventFeed()
    /// The circuit breakers as they were read last, which runs code of the application's: see ``Dashboard``.
    var circuits: [CircuitFact] = []
    var known = KnownState()
    /// How the budgets stood some seconds ago.
    var budgetReport: BudgetReport?
    /// By the budget's name.
    var budgetSparks: [String: BudgetSpark] = [:]
    var ids = RowIDs()
    var remarks = EdgeRemarks()
    /// What the dashboard itself costs.
    var cost = OwnCost()
    /// The lists as they were told or are to be told.
    var lists: [RowList] = []
    /// Every ten seconds one, seven at most.
    private var marks: [ActionTotals.Mark] = []
    private var latest: (totals: ProcessTotals, instant: Instant)
    private var coarseBase: (totals: ProcessTotals, instant: Instant)

    init(_ registry: Registry, _ telemetry: Telemetry?, name: String, clock: TimeSource) {
        self.registry = registry
        self.telemetry = telemetry
        self.clock = clock
        self.name = name
        grid = TimeGrid(clock)
        at = grid.due()
        startedAt = at
        instance = Self.newInstance()
        latest = (ProcessTotals(), clock.now)
        coarseBase = latest
        latest.totals = readTotals()
        coarseBase = latest
        takeMark()
    }

    private static func newInstance() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Reads the totals and adds a point to the history.
    ///
    /// - Returns: What a tick tells of it.
    mutating func sample() -> TickPoints {
        seq += 1
        at = grid.due()
        let now = (totals: readTotals(), instant: clock.now)
        var points = TickPoints()
        points.fine = point(from: latest, to: now)
        history.fine.put(points.fine, at: at - 1)
        latest = now
        let actions = actions
        latency.record(at: at, bounds: actions.spreadBounds, width: actions.width) { component in
            actions.durations(of: component.map { actions.ids(of: $0) } ?? Array(actions.actions.indices))
        }
        keepSlowest()
        if at.truncatingRemainder(dividingBy: history.coarse.step) == 0 {
            let point = point(from: coarseBase, to: now)
            history.coarse.put(point, at: at - history.coarse.step)
            points.coarse = point
            coarseBase = now
        }
        return points
    }

    /// What is due each ten seconds, after the tick of such a moment has gone out.
    mutating func closeStep() {
        guard at.truncatingRemainder(dividingBy: Self.markInterval) == 0 else { return }
        for id in components.descriptors.indices {
            sparks[id, default: []].append(rate(ofComponent: id).significant())
            if (sparks[id]?.count ?? 0) > 30 { sparks[id]?.removeFirst() }
        }
        if let budgetReport { closeBudgetStep(budgetReport) }
        takeMark()
        chooseHeatMaps()
    }

    private mutating func takeMark() {
        let rejected = circuits.map { ($0.summary.name, $0.summary.counts.rejected) }
        let mark = actions.mark(
            at: at,
            rejectedByCircuit: Dictionary(rejected) { first, _ in first },
            callsByEdge: telemetry?.componentTraffic.mapValues(\.calls) ?? [:]
        )
        // A clock that went back leaves marks of the future, which are of no use.
        marks = marks.filter { $0.at < at && $0.at >= at - Self.window } + [mark]
    }

    /// The reservoir begins a new minute when somebody asks, whether anybody looks or not.
    private func keepSlowest() {
        if at.truncatingRemainder(dividingBy: Self.markInterval) == 0 { _ = telemetry?.slowest }
    }

    private mutating func chooseHeatMaps() {
        let (actions, mark) = (actions, mark)
        var calls: [Int: UInt64] = [:]
        for (id, action) in actions.actions.enumerated() {
            calls[action.component, default: 0] += actions.outcomes(id, since: mark).reduce(0, +)
        }
        latency.choose(calls) { actions.durations(of: actions.ids(of: $0)) }
    }

    private func point(
        from before: (totals: ProcessTotals, instant: Instant),
        to now: (totals: ProcessTotals, instant: Instant)
    ) -> Point {
        let seconds = max(1e-3, now.instant.seconds(since: before.instant))
        return now.totals.point(since: before.totals, seconds: seconds, bounds: actions.spreadBounds)
    }

    private mutating func readTotals() -> ProcessTotals {
        var totals = ProcessTotals()
        for row in telemetry?.componentCounts ?? [] {
            _ = components.id(row.component)
            totals.live = (totals.live ?? 0) + (row.created - row.destroyed)
            totals.events += row.created + row.destroyed
        }
        actions.read(registry, &components)
        if let telemetry { actions.read(telemetry.durationTails, &components) }
        let sums = SumReader.read(registry)
        totals.calls = UInt64(actions.outcomes.reduce(0, &+))
        totals.rejected = actions.total(3)
        totals.errors = sums[0]
        totals.dropped = sums[1]
        totals.violations = telemetry?.budgets.violationTotal ?? 0
        totals.events += totals.calls + sums[0] + sums[2]
        totals.durations = actions.durations(of: actions.actions.indices)
        return totals
    }
}

// MARK: - Looking back

extension DashboardModel {
    /// The totals of a minute ago, or of the beginning.
    var mark: ActionTotals.Mark? { marks.first { $0.at >= at - Self.window } }

    /// How many seconds ago that was; at least one.
    var markAge: Double { max(1, at - (mark?.at ?? at)) }

    func rate(ofComponent id: Int) -> Double {
        let mark = mark
        let calls = actions.ids(of: id).reduce(0) { $0 + actions.outcomes($1, since: mark).reduce(0, +) }
        return Double(calls) / markAge
    }

    /// Whether it is time to look for news and trouble although nobody looks at the page.
    var isSurveyDue: Bool { at.truncatingRemainder(dividingBy: Self.markInterval) == 0 }

    /// The rings of the charts, and the heat maps if there were as many as there can be.
    var historyBytes: Int {
        let column = MemoryLayout<LatencyColumn?>.stride + 32 + 4 * actions.width
        let maps = (LatencyBoard.capacity + 1) * 180 * column
        return (history.fine.capacity + history.coarse.capacity) * MemoryLayout<Point?>.stride + maps
    }
}
