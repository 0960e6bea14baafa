// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// Measures operations of one budget and component that no other metric records: a histogram, and the limit.
struct BudgetMeter: Sendable {
    let series: BudgetSeries
    private let histogram: ExponentialHistogram
    private let limit: Int64
    private let isTime: Bool

    init(_ series: BudgetSeries, _ histogram: ExponentialHistogram, limit: Int64) {
        self.series = series
        self.histogram = histogram
        self.limit = limit
        isTime = series.budget.limit.unit == .time
        series.add(.histogram(histogram))
    }

    /// Records one operation, in nanoseconds or bytes.
    func record(_ value: Int64) {
        if isTime { histogram.observe(nanoseconds: value) } else { histogram.observe(Double(value)) }
        if value > limit { series.violated(value, action: nil, limit: limit) }
    }
}

/// Checks operations that a histogram of other metrics already records.
struct BudgetCheck: Sendable {
    let series: BudgetSeries
    let limit: Int64
    /// Names the operations beyond the limit; nil if the component alone does.
    var action: String?

    @inline(__always)
    func check(_ value: Int64) {
        if value > limit { series.violated(value, action: action, limit: limit) }
    }
}

extension BudgetMonitor {
    /// Checks the durations of another module's signal that `histogram` records; nil if no budget includes the signal.
    /// Navigation is the only one: the flow is the component, and the route names an operation beyond the limit.
    func check(_ family: SignalFamily, _ values: [String], _ histogram: ExponentialHistogram) -> BudgetCheck? {
        guard family.name == "axiom_navigation_duration_seconds", family.kind == .seconds else { return nil }
        let labels = Dictionary(zip(family.labels, values)) { first, _ in first }
        guard labels["phase"] == "total", let flow = labels["flow"], var check = check(.navigation, flow, histogram)
        else { return nil }
        check.action = labels["route"] ?? ""
        return check
    }
}

/// Checks the actions of one component, each against the limit of its case.
struct ActionBudget: Sendable {
    let series: BudgetSeries
    /// The limits by the index of the action's case.
    let limits: [Int64]
    let names: [String]
    /// The limit for an invalid index.
    let otherLimit: Int64

    /// Checks an action with an invalid index.
    func checkOther(_ nanoseconds: Int64) {
        guard nanoseconds > otherLimit else { return }
        series.violated(nanoseconds, action: ActionTable.otherAction, limit: otherLimit)
    }

    /// - Parameter caseIndex: Must be valid.
    @inline(__always)
    func check(caseIndex: Int, _ nanoseconds: Int64) {
        let limit = limits[caseIndex]
        if nanoseconds > limit { series.violated(nanoseconds, action: names[caseIndex], limit: limit) }
    }
}

/// The meters of one component, by operation.
struct OperationMeters: OperationProbe {
    /// The meters by the raw value of the operation.
    private let meters: [BudgetMeter?]
    private let baseMemory: BudgetMeter?

    /// - Parameter operations: The component's operations; others are not reported for it.
    init(_ operations: [ComponentOperation], _ component: String, _ budgets: BudgetMonitor) {
        meters = ComponentOperation.allCases.map { operation in
            operations.contains(operation) ? budgets.meter(operation.budget, component) : nil
        }
        baseMemory = operations.contains(.coldStart) ? budgets.meter(.baseMemory, component) : nil
    }

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        meters[operation.rawValue]?.record(nanoseconds)
        guard let baseMemory, let memory = ProcessMemory.current else { return }
        baseMemory.record(Int64(memory.residentBytes))
    }
}

extension ComponentOperation {
    static let ofCapabilities: [Self] = [.firstCheck, .cachedCheck, .invalidation, .availabilityChange]
    static let ofStores: [Self] = [.stateMutation, .statePublishing]
    static let ofContexts: [Self] = [
        .strategyChoice, .clientErrorPropagation, .capabilityErrorPropagation, .errorPropagation, .taskStartup,
        .cancellation,
    ]
    static let ofOrchestrators: [Self] = [.coldStart, .warmStart]

    var budget: PerformanceBudget.ID {
        switch self {
        case .firstCheck: .capabilityCheckFirst
        case .cachedCheck: .capabilityCheckCached
        case .invalidation: .capabilityInvalidation
        case .availabilityChange: .availabilityChange
        case .stateMutation: .stateMutation
        case .statePublishing: .statePublishing
        case .strategyChoice: .strategyChoice
        case .clientErrorPropagation: .clientErrorPropagation
        case .capabilityErrorPropagation: .capabilityErrorPropagation
        case .errorPropagation: .errorPropagation
        case .taskStartup: .taskStartup
        case .cancellation: .cancellation
        case .coldStart: .coldStart
        case .warmStart: .warmStart
        }
    }
}

/// What counts the operations of a budget.
enum BudgetSource: Sendable {
    /// A histogram of their durations, in seconds, or of their sizes, in bytes.
    case histogram(ExponentialHistogram)
    /// Components that can leak. They are counted and have no duration.
    case components(ComponentDescriptor, ComponentCensus)

    /// Two sources with the same identity count the same operations.
    var identity: AnyHashable {
        switch self {
        case .histogram(let histogram): ObjectIdentifier(histogram)
        case .components(let component, _): component
        }
    }

    /// The number of observations.
    var count: UInt64 {
        switch self {
        case .histogram(let histogram): histogram.count
        case .components(let component, let census): census.created(component)
        }
    }

    /// Nil if nothing is measured.
    var distribution: ExponentialHistogramData? {
        switch self {
        case .histogram(let histogram): histogram.data
        case .components: nil
        }
    }
}
