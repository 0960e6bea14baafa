// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// The performance budgets of an application: the limits, the operations that exceeded them, and the status of each
/// component.
public final class BudgetMonitor: Sendable {
    private struct Key: Hashable {
        let id: PerformanceBudget.ID
        let component: String
    }

    private struct State {
        var series: [Key: BudgetSeries] = [:]
        var meters: [Key: BudgetMeter] = [:]
        /// In the order in which they were added. The page uses this order within one budget.
        var order: [BudgetSeries] = []
        /// The names of components and their actions, to find rules that name something else.
        var known: Set<String> = []
    }

    let table: BudgetTable
    let clock: TimeSource
    private let log: DeliveryQueue<BudgetViolation>
    private let durations: Family<ExponentialHistogram, String, String>
    private let bytes: Family<ExponentialHistogram, String, String>
    private let detail: DetailLevel
    let footprints: StateFootprints
    let census: ComponentCensus
    /// Guarded by its lock, which is taken when a component is registered, at a scrape and for a report. While it is
    /// held, only dictionary operations and the creation of a series run.
    private let state = Lock(State())

    init(
        _ registry: Registry,
        _ table: BudgetTable,
        clock: TimeSource,
        census: ComponentCensus,
        log: DeliveryQueue<BudgetViolation>,
        detail: DetailLevel
    ) throws(MetricsError) {
        self.detail = detail
        self.table = table
        self.clock = clock
        self.log = log
        self.census = census
        footprints = StateFootprints(clock: clock)
        // A lean page has no histograms of budgets. They are recorded for reports, in a registry without a page.
        let registry = detail == .full ? registry : Registry()
        durations = try registry.exponentialHistograms(
            "axiom_budget_duration_seconds",
            help: "Time that operations took that are measured for their budgets alone; the shortest are sampled.",
            labels: Label<String>("budget"),
            Label<String>("component"),
            buckets: detail == .full ? .axiomFullLatency : []
        )
        bytes = try registry.exponentialHistograms(
            "axiom_budget_bytes",
            help: "Memory that is measured for its budget alone.",
            labels: Label<String>("budget"),
            Label<String>("component"),
            buckets: detail == .full ? .axiomMemory : []
        )
    }

    /// All budgets, with the limits for components that have none of their own.
    package var budgets: [PerformanceBudget] { table.budgets }

    /// The current status of all budgets. Cost: reads all budget histograms, about 10 µs each.
    public var report: BudgetReport {
        let now = clock.now
        footprints.measure(at: now)
        recordLeaks()
        let (order, known) = state.withLock { ($0.order, $0.known) }
        let rows = table.budgets.map { budget in
            row(budget, order.filter { $0.budget.id == budget.id }, at: now)
        }
        return BudgetReport(rows: rows, unusedOverrides: unusedRules(known), time: now)
    }

    /// The rules for unregistered components and actions.
    private func unusedRules(_ known: Set<String>) -> [String] {
        let limits = table.limits.keys.filter { scope in
            let name = [scope.component, scope.action].compactMap(\.self).joined(separator: ".")
            return !known.contains(name)
        }
        let selections = table.standings.keys.filter { $0.component.map { !known.contains($0) } ?? false }
        return Set(limits.map(\.description) + selections.map(\.description)).sorted()
    }

    /// The costs of the operations of a budget, by component.
    func distributions(_ id: PerformanceBudget.ID) -> [String: ExponentialHistogramData] {
        let series = state.withLock { $0.order }.filter { $0.budget.id == id }
        return Dictionary(series.map { ($0.component, $0.distribution) }) { first, _ in first }
    }

    /// All violations so far. Cost: one addition for each budget of each component.
    package var violationTotal: UInt64 {
        state.withLock { $0.order }.reduce(0) { $0 &+ $1.violations }
    }

    /// The time limit of this component's actions, in seconds; nil if they have none. A single action may have its own
    /// limit.
    package func actionLimit(_ component: ComponentDescriptor) -> Double? {
        guard let id = component.kind.actionBudget, let budget = table.budget(id), budget.limit.unit == .time else {
            return nil
        }
        return Double(table.limit(budget, component.name)) / 1e9
    }

    /// The current families of budgets. Also updates the service levels.
    func collect() -> [CollectedFamily] {
        let now = clock.now
        footprints.measure(at: now)
        recordLeaks()
        var families = BudgetFamilies(table, detail)
        for series in state.withLock({ $0.order }) {
            families.add(series.sample(at: now), series)
        }
        return families.all
    }
}

/// Exports the budgets as metrics.
struct BudgetCollector: Collector {
    let monitor: BudgetMonitor

    func collect() -> [CollectedFamily] {
        monitor.collect()
    }
}

// MARK: - Binding

extension BudgetMonitor {
    /// The series of a budget and component; nil if the budget is not measured or is removed.
    func series(_ id: PerformanceBudget.ID, _ component: String) -> BudgetSeries? {
        let standing = table.standing(id, component)
        guard standing != .removed, let budget = table.budget(id), budget.isMeasured else { return nil }
        return state.withLock { state in
            let key = Key(id: id, component: component)
            if let known = state.series[key] { return known }
            let series = BudgetSeries(
                budget,
                component,
                isConfirmed: standing == .confirmed,
                clock: clock,
                log: log
            )
            state.series[key] = series
            state.order.append(series)
            state.known.insert(component)
            return series
        }
    }

    /// Measures a budget for one component; nil if the budget is not measured or is removed.
    func meter(_ id: PerformanceBudget.ID, _ component: String) -> BudgetMeter? {
        let key = Key(id: id, component: component)
        if let known = state.withLock({ $0.meters[key] }) { return known }
        guard let series = series(id, component) else { return nil }
        let family = series.budget.limit.unit == .time ? durations : bytes
        let meter = BudgetMeter(series, family(id.rawValue, component), limit: table.limit(series.budget, component))
        // If another thread has made a meter too, it has the same series and histogram, so either one will do.
        state.withLock { $0.meters[key] = meter }
        return meter
    }

    func check(_ id: PerformanceBudget.ID, _ component: String, _ histogram: ExponentialHistogram) -> BudgetCheck? {
        series(id, component).map { series in
            series.add(.histogram(histogram))
            return BudgetCheck(series: series, limit: table.limit(series.budget, component))
        }
    }

    /// Checks the actions of one component.
    func actions(_ id: PerformanceBudget.ID, _ component: String, _ names: [String]) -> ActionBudget? {
        series(id, component).map { series in
            state.withLock { $0.known.formUnion(names.map { "\(component).\($0)" }) }
            return ActionBudget(
                series: series,
                limits: names.map { table.limit(series.budget, component, action: $0) },
                names: names,
                otherLimit: table.limit(series.budget, component)
            )
        }
    }

    /// Creates the series that every component of this kind has, all at 0.
    func registered(_ component: ComponentDescriptor) {
        state.withLock { _ = $0.known.insert(component.name) }
        if component.kind == .context { _ = leakSeries(component) }
        for id in component.kind.meteredBudgets { _ = meter(id, component.name) }
        for id in component.kind.checkedBudgets { _ = series(id, component.name) }
    }
}

extension ComponentKind {
    /// The action budget of components of this kind.
    fileprivate var actionBudget: PerformanceBudget.ID? {
        switch self {
        case .client: .clientAction
        case .context: .contextAction
        case .capability, .request, .orchestrator, .presentation: nil
        }
    }

    /// The budgets of every component of this kind that have a histogram of their own.
    fileprivate var meteredBudgets: [PerformanceBudget.ID] {
        switch self {
        case .capability: ComponentOperation.ofCapabilities.map(\.budget)
        case .client: [.actorWait, .clientMemory]
        case .context: ComponentOperation.ofContexts.map(\.budget) + [.contextMemory]
        case .orchestrator: ComponentOperation.ofOrchestrators.map(\.budget) + [.baseMemory]
        case .request, .presentation: []
        }
    }

    /// The budgets of every component of this kind whose operations are recorded elsewhere.
    fileprivate var checkedBudgets: [PerformanceBudget.ID] {
        switch self {
        case .client: [.clientAction]
        case .context: [.contextAction, .contextCreation, .lifecycle, .rendering]
        case .capability, .request, .orchestrator, .presentation: []
        }
    }
}

// MARK: - Leaks

extension BudgetMonitor {
    /// Schedules a leak check for the end of the threshold of the unmounted instances. If the leak budget is not
    /// confirmed, the next scrape or report counts them early enough.
    func unmounted() {
        let isConfirmed = table.standings.contains { selection, standing in
            standing == .confirmed && (selection.id ?? .leakPrevention) == .leakPrevention
        }
        guard isConfirmed else { return }
        census.expectLeaks { [weak self] in self?.recordLeaks() }
    }

    /// Counts the components that have become leak suspects, each once.
    private func recordLeaks() {
        for leak in census.newLeaks() {
            guard let series = leakSeries(leak.component) else { continue }
            for _ in 0..<leak.found { series.violated(Int64(leak.suspects), action: nil, limit: 0) }
        }
    }

    /// The series of a component type's leaks. Its checks are the created components.
    private func leakSeries(_ component: ComponentDescriptor) -> BudgetSeries? {
        let series = series(.leakPrevention, component.name)
        series?.add(.components(component, census))
        return series
    }
}
