// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

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
    static let ofContexts: [Self] = [.strategyChoice, .errorPropagation, .taskStartup, .cancellation]
    static let ofOrchestrators: [Self] = [.coldStart, .warmStart]

    /// The budget of the operation.
    var budget: PerformanceBudget.ID {
        switch self {
        case .firstCheck: .capabilityCheckFirst
        case .cachedCheck: .capabilityCheckCached
        case .invalidation: .capabilityInvalidation
        case .availabilityChange: .availabilityChange
        case .stateMutation: .stateMutation
        case .statePublishing: .statePublishing
        case .strategyChoice: .strategyChoice
        case .errorPropagation: .errorPropagation
        case .taskStartup: .taskStartup
        case .cancellation: .cancellation
        case .coldStart: .coldStart
        case .warmStart: .warmStart
        }
    }
}
