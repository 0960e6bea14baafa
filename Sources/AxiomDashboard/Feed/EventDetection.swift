// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomProfile
internal import AxiomResilience

/// Finds what has happened since the last observation, and adds it to a log.
struct EventDetection: Sendable {
    private struct Lives: Sendable {
        var created: UInt64 = 0
        var destroyed: UInt64 = 0
    }

    private struct Violations: Sendable {
        var count: UInt64 = 0
        /// When the violations of a budget by a component were last reported.
        var reported = -Double.infinity
    }

    private var transitionCount: UInt64 = 0
    /// When the latest transition of each breaker was.
    private var latestTransition: [String: Double] = [:]
    private var errors: Set<ErrorFingerprint> = []
    private var suspects: [ComponentDescriptor: Int] = [:]
    private var lives: [ComponentDescriptor: Lives] = [:]
    private var verdicts: [String: Verdict.Kind] = [:]
    private var violations: [String: Violations] = [:]
    /// The latest hang of the main actor that was added.
    private var latestHang = 0
    /// The latest use of an action of a developer that was added.
    private var latestUse: UInt64 = 0

    init() {}

    mutating func add(_ observed: Observation, _ history: History, _ components: ComponentIndex, to log: inout EventLog)
    {
        addTransitions(observed, history.grid, components, &log)
        addErrors(observed, history.grid, components, &log)
        for row in observed.census {
            addLeaks(row, history.at, components, &log)
            addLives(row, history.at, components, &log)
        }
        for reading in observed.verdicts { add(reading.verdict, history.at, components, &log) }
        addViolations(observed, history.at, components, &log)
        addHangs(history, components, &log)
        for use in observed.actionUses where use.id > latestUse {
            latestUse = use.id
            let component = components.id(named: use.component)
            log.add(.action, .warning, use.sentence, component: component, at: history.grid.seconds(use.at))
        }
    }

    /// The hangs of the main actor, once their cause is known, or not found for some seconds.
    private mutating func addHangs(_ history: History, _ components: ComponentIndex, _ log: inout EventLog) {
        for hang in history.mainActor.hangs where hang.id > latestHang && !hang.isLasting {
            guard history.isExplained(hang) else { return }
            let end = history.grid.seconds(hang.end)
            latestHang = hang.id
            let component = hang.culprit.flatMap { components.id(named: $0.component.name) }
            log.add(.hang, hang.cause == .process ? .info : .warning, hang.sentence, component: component, at: end)
        }
    }

    private mutating func addTransitions(
        _ observed: Observation,
        _ grid: TimeGrid,
        _ components: ComponentIndex,
        _ log: inout EventLog
    ) {
        guard observed.transitionCount != transitionCount else { return }
        transitionCount = observed.transitionCount
        for (name, transitions) in observed.transitions.sorted(by: { $0.key < $1.key }) {
            let latest = latestTransition[name] ?? -.infinity
            for transition in transitions where grid.seconds(transition.instant) > latest {
                let time = grid.seconds(transition.instant)
                latestTransition[name] = time
                let steps = "\(transition.from.pageName) to \(transition.to.pageName)"
                let verb = transition.isShadow ? " would go from " : ": "
                log.add(
                    .transition,
                    transition.to == .open ? .warning : .info,
                    "Circuit \(name)\(verb)\(steps), \(transition.reasonText)",
                    component: components.id(named: name),
                    at: time
                )
            }
        }
    }

    /// The first error of each group.
    private mutating func addErrors(
        _ observed: Observation,
        _ grid: TimeGrid,
        _ components: ComponentIndex,
        _ log: inout EventLog
    ) {
        guard let groups = observed.errors?.groups else { return }
        for group in groups where !errors.contains(group.fingerprint) {
            log.add(
                .error,
                EventRow.Severity(group.severity),
                "First \(group.codeOrType): \(group.sample.text)",
                component: components.id(named: group.fingerprint.component.name),
                at: grid.seconds(group.firstSeen)
            )
        }
        errors = Set(groups.map(\.fingerprint))
    }

    private mutating func addLeaks(_ row: CensusRow, _ at: Double, _ components: ComponentIndex, _ log: inout EventLog)
    {
        if row.leakSuspects > suspects[row.component] ?? 0 {
            let text = "\(row.leakSuspects) live on that should have ended"
            log.add(.leak, .warning, text, component: components.id(named: row.component.name), at: at)
        }
        suspects[row.component] = row.leakSuspects
    }

    /// Contexts and presentations come and go all the time, and are no events.
    private mutating func addLives(_ row: CensusRow, _ at: Double, _ components: ComponentIndex, _ log: inout EventLog)
    {
        let descriptor = row.component
        guard descriptor.kind != .context, descriptor.kind != .presentation else { return }
        let (before, id) = (lives[descriptor] ?? Lives(), components.id(named: descriptor.name))
        if row.created > before.created { log.add(.started, .info, "\(descriptor) was made", component: id, at: at) }
        if row.destroyed > before.destroyed { log.add(.ended, .info, "\(descriptor) has ended", component: id, at: at) }
        lives[descriptor] = Lives(created: row.created, destroyed: row.destroyed)
    }

    private mutating func add(
        _ verdict: RegressionVerdict,
        _ at: Double,
        _ components: ComponentIndex,
        _ log: inout EventLog
    ) {
        let key = "\(verdict.component).\(verdict.action)"
        let (before, now, id) = (verdicts[key], verdict.verdict.kind, components.id(named: verdict.component))
        verdicts[key] = now
        if now == .regressed, before != .regressed {
            log.add(.regression, .error, "\(verdict)", component: id, at: at)
        } else if before == .regressed, now == .ok {
            log.add(.regression, .info, "\(key) is as quick as its baseline again", component: id, at: at)
        }
    }

    /// Violations of confirmed budgets, once a minute for each budget and component.
    private mutating func addViolations(
        _ observed: Observation,
        _ at: Double,
        _ components: ComponentIndex,
        _ log: inout EventLog
    ) {
        for row in observed.budgets?.rows ?? [] {
            for component in row.components where component.isConfirmed {
                let key = "\(row.budget.id)/\(component.name)"
                let before = violations[key] ?? Violations()
                let count = component.counts.violations
                guard count > before.count, at >= before.reported + 60 else { continue }
                violations[key] = Violations(count: count, reported: at)
                let text = "Budget \(row.budget.id): \(count - before.count) over \(component.limit)"
                log.add(.violation, .warning, text, component: components.id(named: component.name), at: at)
            }
        }
    }
}

extension EventRow.Severity {
    fileprivate init(_ severity: ErrorSeverity) {
        switch severity {
        case .critical: self = .critical
        case .nonCritical: self = .error
        case .warning: self = .warning
        }
    }
}
