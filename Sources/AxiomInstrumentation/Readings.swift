// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomMetrics
package import AxiomResilience

/// What a telemetry knows, as typed values: what the dashboard, reports and profilers read, instead of the metrics that are
/// made of the same recorders.
///
/// Each property reads the recorders when it is used. Two properties are read one after the other, so that what happens
/// in between may show in one of them only.
package struct Readings: Sendable {
    let revision: String
    let budgetMonitor: BudgetMonitor
    let regressions: RegressionMonitor
    let errorMonitor: ErrorMonitor
    let census: ComponentCensus
    let clients: ClientMetrics
    let states: StateMetrics
    let slow: SlowBoard
    let circuits: CircuitBoard
    let strategyBoard: StrategyBoard
    let instanceLog: InstanceLog
    let drops: DropCounters
    let dependencies: DependencyMetrics

    /// Which build runs, for people.
    package var build: String { "\(revision), Axiom \(BuildInfo.version), Swift \(BuildInfo.swift)" }

    /// Whether the build records anything: false without the package trait `Instrumented`.
    package var isInstrumented: Bool { BuildInfo.isInstrumented }
}

// MARK: - Components

extension Readings {
    /// The upper bounds of the buckets of lifetimes but for the last, in seconds.
    package static let lifetimeBounds = Buckets.axiomLifetime.upperBounds

    /// The counts of all component types, in the order of their registration.
    package var components: [CensusRow] { census.rows }

    /// How long the components lived that have ended: a count for each of ``lifetimeBounds`` and one more.
    package var lifetimes: [ComponentDescriptor: [UInt64]] { census.lifetimeCounts }

    /// Some instances that should have ended long ago: `limit` at most.
    package func leakSuspects(_ limit: Int) -> [(id: UInt64, component: ComponentDescriptor)] { census.suspects(limit) }

    /// When single components lived.
    package var instances: InstanceLog.Report { instanceLog.report }

    /// Which component types resolved which, in the order in which that was first seen. Edges are only ever added.
    package var edges: [ComponentDependency] { dependencies.edges }

    /// How often contexts called clients; of other edges nothing is counted.
    package var traffic: [ComponentDependency: CallCounts] { clients.traffic }
}

// MARK: - Actions and states

extension Readings {
    /// The totals of all actions.
    package var actions: ActionReadings { slow.table.read { slow.tails } }

    /// How many actions each client processes at this moment, by the names of the client and of the action. Actions that
    /// are not processed are missing.
    package var actionsInFlight: [String: [String: UInt64]] { clients.inFlight }

    /// The slowest actions of the last minutes, some of each client and context. Read this each ten seconds or so: it also
    /// begins the next minute.
    package var slowestActions: [SlowAction] { slow.slowest }

    /// How many states clients have published.
    package var stateUpdates: UInt64 { states.updateTotal }
}

// MARK: - Errors, budgets, circuits

extension Readings {
    /// The errors that ended, in groups.
    package var errors: ErrorMonitor.Report { errorMonitor.report }

    /// How many errors have ended.
    package var errorTotal: UInt64 { errorMonitor.total }

    /// How all operations stand to their budgets. Cost: reads all histograms of budgets, some 10 µs for each.
    package var budgets: BudgetReport { budgetMonitor.report }

    /// How many operations went beyond their budgets.
    package var violationTotal: UInt64 { budgetMonitor.violationTotal }

    /// How long an action of this component may take unless the action has a limit of its own, in seconds.
    package func actionLimit(_ component: ComponentDescriptor) -> Double? { budgetMonitor.actionLimit(component) }

    /// The verdicts as they were judged last; empty where nothing is judged.
    package var verdicts: [VerdictReading] {
        regressions.latestVerdicts.map { verdict in
            VerdictReading(
                verdict: verdict,
                percentiles: regressions.percentiles,
                baseline: regressions.baselineSeconds(component: verdict.component, action: verdict.action)
            )
        }
    }

    /// The name of the baseline and when it was recorded, in ISO 8601; nil where nothing is judged.
    package var baseline: (name: String, recordedAt: String)? { regressions.baselineIdentity }

    /// All circuit breakers, each read by its own clock. Reading a breaker moves its time and describes its last error:
    /// both run code of the application, so hold no lock.
    package var breakers: [BreakerReading] {
        let owners = circuits.owners
        return circuits.all.map { BreakerReading($0, owner: owners[$0.name]) }
    }

    /// The latest transitions of the circuit breakers.
    package var transitions: TransitionLog { circuits.transitions }

    /// The retries, timeouts, bulkheads and fallbacks that are watched.
    package var strategies: [any ResilienceStrategy] { strategyBoard.all }

    /// What telemetry could not keep or pass on, by reason, in the order of the reasons' names.
    package var dropped: [(reason: String, count: UInt64)] { drops.counts }
}

/// One circuit breaker at one moment.
package struct BreakerReading: Sendable {
    package let summary: CircuitSummary
    package let configuration: CircuitBreakerConfiguration
    /// The description of the last error that counted as a failure.
    package let lastError: String?
    /// The component that it guards; nil for a breaker that the application watches.
    package let owner: ComponentDescriptor?

    init(_ breaker: CircuitBreaker, owner: ComponentDescriptor?) {
        summary = breaker.summary()
        configuration = breaker.configuration
        lastError = breaker.lastError.map { String(describing: $0) }
        self.owner = owner
    }
}

/// Whether an action has become slower than its baseline.
package struct VerdictReading: Sendable {
    package let verdict: RegressionVerdict
    /// The percentiles that are judged, as probabilities.
    package let percentiles: [Double]
    /// How long the action took in the baseline, in the order of ``percentiles``, in seconds; nil where it has none.
    package let baseline: [Double]?
}
