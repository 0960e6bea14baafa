// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience

/// What was measured each second, for as long as it is kept: the points of the charts, the columns of the heat maps, and
/// the totals of the last minute, with which rates of rows are computed.
struct History: Sendable {
    /// The totals at an earlier moment.
    struct Mark: Sendable {
        let at: Double
        let actions: ActionTotals
        /// By the name of the circuit breaker.
        let circuits: [String: CircuitCounts]
        let callsByEdge: [ComponentDependency: CallCounts]
    }

    private struct Moment: Sendable {
        let totals: ProcessTotals
        let instant: Instant
    }

    /// How many seconds rates and percentiles of rows look back.
    static let window = 60.0
    /// The seconds of a step of sparks and marks.
    static let interval = 10.0

    private(set) var grid: TimeGrid
    let startedAt: Double
    /// Grows by one with each sample.
    private(set) var seq = 0
    /// The moment of the latest sample, on the grid.
    private(set) var at: Double
    private(set) var fine = TimeRing<Point>(step: 1, capacity: 900)
    private(set) var coarse = TimeRing<Point>(step: 60, capacity: 1_440)
    private(set) var heatMaps = HeatMaps()
    private(set) var sparks = Sparks()
    private(set) var actions: ActionTotals
    /// The main actor, with its longest delay since the sample before.
    private(set) var mainActor = MainActorReading()
    /// What happened often in the last minutes.
    private(set) var counts = RecentCounts()
    /// One for every ten seconds, seven at most.
    private var marks: [Mark] = []
    private var latest: Moment
    private var coarseBase: Moment
    private let clock: TimeSource

    init(_ clock: TimeSource, _ readings: Readings, _ components: inout ComponentIndex) {
        self.clock = clock
        grid = TimeGrid(clock)
        at = grid.due()
        startedAt = at
        actions = ActionTotals()
        latest = Moment(totals: ProcessTotals(), instant: clock.now)
        coarseBase = latest
        latest = read(readings, &components)
        coarseBase = latest
        marks = [mark([], readings)]
    }

    /// Reads the totals and adds a point to the charts and to the heat maps. Returns what a tick says of it.
    mutating func sample(_ readings: Readings, _ components: inout ComponentIndex) -> TickPoints {
        seq += 1
        at = grid.due()
        mainActor = readings.mainActor.reading(since: latest.instant)
        let now = read(readings, &components)
        var points = TickPoints()
        points.fine = point(from: latest, to: now)
        points.fine.set(.delay, mainActor.worstDelay)
        fine.put(points.fine, at: at - 1)
        latest = now
        // Reading them each ten seconds also begins the next minute of the reservoir.
        if isStepOver { _ = readings.slowestActions }
        let actions = actions
        heatMaps.record(at: at) { component in
            actions.durations(of: component.map { actions.ids(of: $0) } ?? actions.work)
        }
        if at.truncatingRemainder(dividingBy: coarse.step) == 0 {
            var point = point(from: coarseBase, to: now)
            let delays = fine.values.suffix(60).compactMap { $0?[.delay] }.filter { !$0.isNaN }
            point.set(.delay, delays.max().map { Double($0) })
            coarse.put(point, at: at - coarse.step)
            points.coarse = point
            coarseBase = now
        }
        return points
    }

    private func point(from before: Moment, to now: Moment) -> Point {
        let seconds = max(1e-3, now.instant.seconds(since: before.instant))
        var point = now.totals.point(since: before.totals, seconds: seconds)
        if seconds > 2 { point.keepPeaks(of: fine.values.suffix(Int(min(seconds, coarse.step).rounded()))) }
        return point
    }

    private mutating func read(_ readings: Readings, _ components: inout ComponentIndex) -> Moment {
        let census = readings.components
        for row in census { _ = components.id(row.component) }
        actions.update(readings.actions, &components)
        return Moment(totals: ProcessTotals(readings, census, actions), instant: clock.now)
    }

    // MARK: - Steps of ten seconds

    /// Notes the totals of events. Call it with each observation, before problems are searched.
    mutating func note(_ totals: CountedEvent.Totals) {
        counts.update(totals, at: at, isStep: isStepOver)
    }

    /// Whether a step of ten seconds ends with the latest sample.
    var isStepOver: Bool { at.truncatingRemainder(dividingBy: Self.interval) == 0 }

    /// Continues the sparks, takes a mark and chooses the heat maps. Call it when a step is over and its tick was sent.
    mutating func closeStep(
        _ readings: Readings,
        _ components: ComponentIndex,
        _ breakers: [BreakerReading],
        _ budgets: BudgetReport?
    ) {
        for id in components.descriptors.indices { sparks.add(rate(ofComponent: id).significant(), component: id) }
        for row in budgets?.rows ?? [] where row.counts.checks > 0 {
            sparks.add(violations: row.counts.violations, budget: row.budget.id.rawValue)
        }
        let mark = mark(breakers, readings)
        // A mark from the future, left by a clock that went back, is of no use.
        marks = marks.filter { $0.at < at && $0.at >= at - Self.window } + [mark]
        chooseHeatMaps()
    }

    private func mark(_ breakers: [BreakerReading], _ readings: Readings) -> Mark {
        let circuits = breakers.map { ($0.summary.name, $0.summary.counts) }
        return Mark(
            at: at,
            actions: actions,
            circuits: Dictionary(circuits) { first, _ in first },
            callsByEdge: readings.traffic
        )
    }

    private mutating func chooseHeatMaps() {
        let (actions, mark) = (actions, mark)
        var calls: [Int: UInt64] = [:]
        for (id, action) in actions.actions.enumerated() {
            calls[action.component, default: 0] += actions.outcomes(id, since: mark?.actions).total
        }
        heatMaps.choose(calls) { actions.durations(of: actions.ids(of: $0)) }
    }

    // MARK: - Looking back

    /// The totals of a minute ago, or of the beginning.
    var mark: Mark? { marks.first { $0.at >= at - Self.window } }

    /// How many seconds ago that was; at least one.
    var markAge: Double { max(1, at - (mark?.at ?? at)) }

    /// Calls per second since the mark.
    func rate(ofComponent id: Int) -> Double {
        let mark = mark
        let calls = actions.ids(of: id).reduce(0) { $0 + actions.outcomes($1, since: mark?.actions).total }
        return Double(calls) / markAge
    }

}

/// The small charts of rows: one value for each of the last steps of ten seconds.
struct Sparks: Sendable {
    private static let capacity = 30

    private var rates: [Int: [Double]] = [:]
    private var violations: [String: [UInt64]] = [:]
    /// The violations of each budget so far.
    private var totals: [String: UInt64] = [:]

    /// Calls per second of a component.
    func rates(ofComponent id: Int) -> [Double] { rates[id] ?? [] }

    func violations(ofBudget name: String) -> [UInt64] { violations[name] ?? [] }

    mutating func add(_ rate: Double, component id: Int) {
        rates[id] = (rates(ofComponent: id) + [rate]).suffix(Self.capacity)
    }

    /// - Parameter total: All violations so far. The first total of a budget counts as no violations.
    mutating func add(violations total: UInt64, budget name: String) {
        let added = total &- min(totals[name] ?? total, total)
        violations[name] = (violations(ofBudget: name) + [added]).suffix(Self.capacity)
        totals[name] = total
    }
}
