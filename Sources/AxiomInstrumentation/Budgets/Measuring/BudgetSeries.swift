// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// One budget and one component: the numbers of checks and violations, the worst violations, and the service level.
///
/// Checks are the observations of the histograms that record the operations anyway. So an operation within its limit
/// costs one comparison where it is measured. ``violated(_:action:limit:)`` handles the others.
final class BudgetSeries: Sendable {
    let budget: PerformanceBudget
    let component: String
    /// Whether the application confirmed the budget. Violations of an unconfirmed budget are counted, but not passed
    /// on.
    let isConfirmed: Bool
    private let clock: TimeSource
    private let log: DeliveryQueue<BudgetViolation>
    private let violationTotal = ShardedTotal()
    /// The floor of the worst, so that most violations take no lock. Written under the lock of `state`. An operation that
    /// was compared with an old value is rejected under the lock.
    private let floor = Atomic<Int64>(.min)
    /// When the next violation may be logged, in nanoseconds. The thread that advances it logs.
    private let nextLog = Atomic<Int64>(.min)
    private let unlogged = Atomic<UInt64>(0)
    /// Guarded by its lock, which is taken for a violation that may be among the worst, at a scrape, for a report and when
    /// a source is added. Sources are read without it.
    private let state = Lock(State())
    /// Guarded by its lock, which is taken at a scrape and for a report.
    private let ring: Lock<ServiceLevelRing>

    private struct State {
        var worst = WorstExamples()
        /// The histograms of the operations.
        var sources: [BudgetSource] = []
    }

    init(
        _ budget: PerformanceBudget,
        _ component: String,
        isConfirmed: Bool,
        clock: TimeSource,
        log: DeliveryQueue<BudgetViolation>
    ) {
        self.budget = budget
        self.component = component
        self.isConfirmed = isConfirmed
        self.clock = clock
        self.log = log
        ring = Lock(ServiceLevelRing(at: clock.now))
    }

    /// Counts the observations of `source` as checks. A known source is not counted twice.
    func add(_ source: BudgetSource) {
        state.withLock { state in
            if !state.sources.contains(where: { $0.identity == source.identity }) { state.sources.append(source) }
        }
    }

    /// Records an operation beyond its limit. Cost: an atomic addition, a clock reading and two atomic loads, and a
    /// lock if it is among the worst.
    @inline(never)
    func violated(_ value: Int64, action: String?, limit: Int64) {
        atomicMemoryFence(ordering: .releasing)
        violationTotal.add(1)
        let example = BudgetExample(value: value, action: action, time: clock.now, limit: limit)
        if value > floor.load(ordering: .relaxed) {
            state.withLock { state in
                state.worst.add(example)
                floor.store(state.worst.floor, ordering: .relaxed)
            }
        }
        if isConfirmed { report(example, limit) }
    }

    /// Operations beyond the limit.
    var violations: UInt64 { violationTotal.value }

    /// The numbers of checked operations and of violations. The latter are read first: an operation is recorded before
    /// it becomes a violation, so there are never more violations than checks.
    var counts: BudgetCounts {
        let violations = violationTotal.value
        atomicMemoryFence(ordering: .acquiring)
        let checks = sources.reduce(0) { $0 &+ $1.count }
        return BudgetCounts(checks: checks, violations: violations)
    }

    /// The counts, which are also added to the service level.
    func sample(at time: Instant) -> BudgetCounts {
        let counts = counts
        ring.withLock { $0.record(counts, at: time) }
        return counts
    }

    /// The share of operations within the budget over the last hours.
    func level(at time: Instant) -> ServiceLevel {
        ring.withLock { ServiceLevel($0, objective: budget.objective, at: time) }
    }

    /// The costs of the operations, in seconds or bytes.
    var distribution: ExponentialHistogramData {
        sources.compactMap(\.distribution).reduce(into: .empty) { $0.merge($1) }
    }

    var examples: [BudgetExample] { state.withLock { $0.worst.examples } }
    private var sources: [BudgetSource] { state.withLock { $0.sources } }

    /// Reports the violation unless another one was reported less than a window ago.
    private func report(_ example: BudgetExample, _ limit: Int64) {
        let due = nextLog.load(ordering: .relaxed)
        let next = example.time.advanced(by: BudgetViolation.logWindow).nanoseconds
        guard example.time.nanoseconds >= due,
            nextLog.compareExchange(expected: due, desired: next, ordering: .relaxed).exchanged
        else {
            unlogged.add(1, ordering: .relaxed)
            return
        }
        log.send(
            BudgetViolation(
                budget: budget,
                component: component,
                example: example,
                limit: BudgetLimit(unit: budget.limit.unit, value: limit),
                unlogged: unlogged.exchange(0, ordering: .relaxed),
                level: .ofThisBuild
            )
        )
    }
}

/// The numbers of checked operations and of violations.
public struct BudgetCounts: Sendable, Hashable {
    /// The checked operations.
    public var checks: UInt64
    /// The operations beyond the limit.
    public var violations: UInt64

    /// Makes a pair of counts. Violations must not exceed checks.
    package init(checks: UInt64 = 0, violations: UInt64 = 0) {
        self.checks = checks
        self.violations = violations
    }

    /// The share within the limit, 0...1; nil if nothing was checked.
    public var share: Double? { checks == 0 ? nil : 1 - Double(violations) / Double(checks) }

    static func + (left: BudgetCounts, right: BudgetCounts) -> BudgetCounts {
        BudgetCounts(checks: left.checks &+ right.checks, violations: left.violations &+ right.violations)
    }
}

/// One operation that exceeded its budget.
public struct BudgetExample: Sendable, Hashable {
    /// The cost, in nanoseconds or bytes.
    public let value: Int64
    /// The name of the action's case, for an action of a client or context; never its associated values.
    public let action: String?
    /// When it ended.
    public let time: Instant
    /// The limit that it exceeded, in the unit of ``value``: that of its action, else of its component, else of the budget.
    package let limit: Int64
}

/// The worst operations of one budget and component, the worst first.
struct WorstExamples: Sendable, Hashable {
    static let capacity = 5

    private(set) var examples: [BudgetExample] = []

    /// The cost that an operation must exceed to be kept.
    var floor: Int64 { examples.count < Self.capacity ? .min : examples.last?.value ?? .min }

    /// Keeps an operation if it is among the worst. Of equal ones the earlier stays.
    mutating func add(_ example: BudgetExample) {
        guard example.value > floor else { return }
        let index = examples.firstIndex { $0.value < example.value } ?? examples.count
        examples.insert(example, at: index)
        if examples.count > Self.capacity { examples.removeLast() }
    }
}
