// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase
public import AxiomMetrics

/// The performance budgets of an application: what each operation may cost, which exceeded that, and how the components
/// stand to them.
public final class BudgetMonitor: Collector {
    private struct Key: Hashable {
        let id: PerformanceBudget.ID
        let component: String
    }

    private struct State {
        var series: [Key: BudgetSeries] = [:]
        var meters: [Key: BudgetMeter] = [:]
        /// In the order in which they came, which is that of the page within one budget.
        var order: [BudgetSeries] = []
        /// Names of components and of their actions, for overrides that nobody uses.
        var known: Set<String> = []
    }

    let book: BudgetBook
    let clock: TimeSource
    private let log: @Sendable (BudgetViolation) -> Void
    private let durations: Family<ExponentialHistogram, String, String>
    private let bytes: Family<ExponentialHistogram, String, String>
    let footprints: StateFootprints
    private let leaks: @Sendable () -> BudgetCounts
    /// Guarded by its lock, which is taken when a component is registered, at a scrape and for a report. Nothing is
    /// called while it is held but dictionary operations and the making of a series.
    private let state = Lock(State())

    /// - Parameter leaks: How many components were made, and how many of those that live should not.
    init(
        _ registry: Registry,
        _ book: BudgetBook,
        clock: TimeSource,
        leaks: @escaping @Sendable () -> BudgetCounts,
        log: @escaping @Sendable (BudgetViolation) -> Void
    ) throws(MetricsError) {
        self.book = book
        self.clock = clock
        self.log = log
        self.leaks = leaks
        footprints = StateFootprints(clock: clock)
        durations = try registry.exponentialHistograms(
            "axiom_budget_duration_seconds",
            help: "Time that operations took that are measured for their budgets alone; the shortest are sampled.",
            labels: Label<String>("budget"),
            Label<String>("component"),
            buckets: .axiomLatency
        )
        bytes = try registry.exponentialHistograms(
            "axiom_budget_bytes",
            help: "Memory that is measured for its budget alone.",
            labels: Label<String>("budget"),
            Label<String>("component"),
            buckets: .axiomMemory
        )
    }

    /// All budgets, with the limits that count where a component has none of its own.
    public var budgets: [PerformanceBudget] { book.budgets }

    /// How everything stands now. Cost: reads all histograms of budgets, some 10 µs for each.
    public var report: BudgetReport {
        let now = clock.now
        footprints.measure(at: now)
        let (order, known) = state.withLock { ($0.order, $0.known) }
        let rows = book.budgets.map { budget in
            row(budget, order.filter { $0.budget.id == budget.id }, at: now)
        }
        let unused = book.limits.keys.filter { scope in
            let place = [scope.component, scope.action].compactMap(\.self).joined(separator: ".")
            return !known.contains(place)
        }
        return BudgetReport(rows: rows, unusedOverrides: unused.map(\.description).sorted(), time: now)
    }

    /// All violations so far. Cost: one addition for each budget of each component.
    package var violationTotal: UInt64 {
        state.withLock { $0.order }.reduce(0) { $0 &+ $1.violations }
    }

    /// How long an action of this component may take unless the action has a limit of its own, in seconds.
    package func actionLimit(_ component: ComponentDescriptor) -> Double? {
        guard let id = component.kind.actionBudget, let budget = book.budget(id), budget.limit.unit == .time else {
            return nil
        }
        return Double(book.limit(budget, component.name)) / 1e9
    }

    /// The families of budgets as they are now; also the moment at which service levels take note.
    public func collect() -> [CollectedFamily] {
        let now = clock.now
        footprints.measure(at: now)
        var families = BudgetFamilies()
        for budget in book.budgets { families.add(budget) }
        for series in state.withLock({ $0.order }) {
            families.add(series.sample(at: now), series.budget, series.component)
        }
        return families.all
    }
}

// MARK: - Binding

extension BudgetMonitor {
    /// The series of a budget and component; nil for a budget that is not measured.
    func series(_ id: PerformanceBudget.ID, _ component: String) -> BudgetSeries? {
        guard let budget = book.budget(id), budget.isMeasured else { return nil }
        return state.withLock { state in
            let key = Key(id: id, component: component)
            if let known = state.series[key] { return known }
            let series = BudgetSeries(budget, component, clock: clock, log: log)
            state.series[key] = series
            state.order.append(series)
            state.known.insert(component)
            return series
        }
    }

    /// Measures a budget for one component; nil for a budget that is not measured.
    func meter(_ id: PerformanceBudget.ID, _ component: String) -> BudgetMeter? {
        let key = Key(id: id, component: component)
        if let known = state.withLock({ $0.meters[key] }) { return known }
        guard let series = series(id, component) else { return nil }
        let family = series.budget.limit.unit == .time ? durations : bytes
        let meter = BudgetMeter(series, family(id.rawValue, component), limit: book.limit(series.budget, component))
        // Another thread's meter of the same series and histogram is as good.
        state.withLock { $0.meters[key] = meter }
        return meter
    }

    /// Checks what `histogram` records.
    func check(_ id: PerformanceBudget.ID, _ component: String, _ histogram: Histogram) -> BudgetCheck? {
        series(id, component).map { series in
            series.add(.classic(histogram))
            return BudgetCheck(series: series, limit: book.limit(series.budget, component))
        }
    }

    /// Checks the actions of one component.
    func actions(_ id: PerformanceBudget.ID, _ component: String, _ names: [String]) -> ActionBudget? {
        series(id, component).map { series in
            state.withLock { $0.known.formUnion(names.map { "\(component).\($0)" }) }
            return ActionBudget(
                series: series,
                limits: names.map { book.limit(series.budget, component, action: $0) },
                names: names,
                otherLimit: book.limit(series.budget, component)
            )
        }
    }

    /// Makes the series that every component of this kind has, all at 0.
    func registered(_ component: ComponentDescriptor) {
        for id in component.kind.meteredBudgets { _ = meter(id, component.name) }
        for id in component.kind.checkedBudgets { _ = series(id, component.name) }
    }
}

extension ComponentKind {
    /// The budget of the actions of such components.
    fileprivate var actionBudget: PerformanceBudget.ID? {
        switch self {
        case .client: .clientAction
        case .context: .contextAction
        case .capability, .orchestrator, .presentation: nil
        }
    }

    /// The budgets with a histogram of their own that every component of the kind has.
    fileprivate var meteredBudgets: [PerformanceBudget.ID] {
        switch self {
        case .capability:
            [.capabilityCheckFirst, .capabilityCheckCached, .capabilityInvalidation, .availabilityChange]
        case .client: [.actorWait, .clientMemory]
        case .context: [.strategyChoice, .errorPropagation, .taskStartup, .cancellation, .contextMemory]
        case .orchestrator: [.coldStart, .warmStart, .baseMemory]
        case .presentation: []
        }
    }

    /// The budgets that every component of the kind has and whose operations are recorded elsewhere.
    fileprivate var checkedBudgets: [PerformanceBudget.ID] {
        switch self {
        case .client: [.clientAction]
        case .context: [.contextAction, .contextCreation, .lifecycle, .rendering]
        case .capability, .orchestrator, .presentation: []
        }
    }
}

// MARK: - Rows

extension BudgetMonitor {
    private func row(_ budget: PerformanceBudget, _ series: [BudgetSeries], at now: Instant) -> BudgetReport.Row {
        if budget.id == .leakPrevention { return leakRow(budget) }
        var total = BudgetCounts()
        var all = BudgetDistribution()
        var components: [BudgetReport.Component] = []
        for series in series {
            let (counts, distribution) = (series.sample(at: now), series.distribution)
            let limit = BudgetLimit(unit: budget.limit.unit, value: book.limit(budget, series.component))
            components.append(
                BudgetReport.Component(
                    name: series.component,
                    status: BudgetStatus(budget, counts, mean: distribution.mean, limit: limit.metricValue),
                    counts: counts,
                    level: series.level(at: now),
                    worst: series.examples
                )
            )
            total = total + counts
            all.merge(distribution)
        }
        // A mean is judged where it belongs: one component's limit may be another's.
        let isMeanMissed = budget.statistic == .mean && components.contains { $0.status == .missed }
        return BudgetReport.Row(
            budget: budget,
            status: isMeanMissed ? .missed : status(budget, total, mean: all.mean),
            counts: total,
            mean: total.checks == 0 ? nil : all.mean,
            p50: all.quantile(0.5),
            p95: all.quantile(0.95),
            p99: all.quantile(0.99),
            components: components.sorted { $0.name < $1.name }
        )
    }

    private func status(_ budget: PerformanceBudget, _ counts: BudgetCounts, mean: Double) -> BudgetStatus {
        switch budget.place {
        case .notBuilt: .notBuilt
        case .notAvailable(let reason): .notAvailable(reason)
        case .measured: BudgetStatus(budget, counts, mean: mean, limit: budget.limit.metricValue)
        }
    }

    /// Leaks are no operations: what is judged is how many there are at this moment.
    private func leakRow(_ budget: PerformanceBudget) -> BudgetReport.Row {
        let counts = leaks()
        let suspects = BudgetQuantile(value: Double(counts.violations), precision: .estimate(0))
        let quantile = counts.checks == 0 ? nil : suspects
        return BudgetReport.Row(
            budget: budget,
            status: BudgetStatus(budget, counts, mean: suspects.value, limit: 0),
            counts: counts,
            mean: quantile?.value,
            p50: quantile,
            p95: quantile,
            p99: quantile,
            components: []
        )
    }
}
