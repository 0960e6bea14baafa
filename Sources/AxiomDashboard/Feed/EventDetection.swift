// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomResilience
internal import AxiomStatistics

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

    mutating func add(_ moment: ObservedMoment, to log: inout EventLog) {
        addTransitions(moment, &log)
        addErrors(moment, &log)
        for row in moment.observed.census {
            addLeaks(row, moment, &log)
            addLives(row, moment, &log)
        }
        for reading in moment.observed.verdicts { add(reading.verdict, moment, &log) }
        addViolations(moment, &log)
        addHangs(moment, &log)
        for use in moment.observed.actionUses where use.id > latestUse {
            latestUse = use.id
            let time = moment.grid.seconds(use.at)
            log.add(.action, .warning, use.sentence, component: moment.id(named: use.component), at: time)
        }
    }

    /// The hangs of the main actor, once their cause is known, or not found for some seconds.
    private mutating func addHangs(_ moment: ObservedMoment, _ log: inout EventLog) {
        let history = moment.history
        for hang in history.mainActor.hangs where hang.id > latestHang && !hang.isLasting {
            guard history.isExplained(hang) else { return }
            let end = history.grid.seconds(hang.end)
            latestHang = hang.id
            let component = hang.culprit.flatMap { moment.id(named: $0.component.name) }
            log.add(.hang, hang.cause == .process ? .info : .warning, hang.sentence, component: component, at: end)
        }
    }

    private mutating func addTransitions(_ moment: ObservedMoment, _ log: inout EventLog) {
        guard moment.observed.transitionCount != transitionCount else { return }
        transitionCount = moment.observed.transitionCount
        for (name, transitions) in moment.observed.transitions.sorted(by: { $0.key < $1.key }) {
            let latest = latestTransition[name] ?? -.infinity
            for transition in transitions where moment.grid.seconds(transition.instant) > latest {
                let time = moment.grid.seconds(transition.instant)
                latestTransition[name] = time
                let steps = "\(transition.from.pageName) to \(transition.to.pageName)"
                let verb = transition.isShadow ? " would go from " : ": "
                log.add(
                    .transition,
                    transition.to == .open ? .warning : .info,
                    "Circuit \(name)\(verb)\(steps), \(transition.reasonText)",
                    component: moment.id(named: name),
                    at: time
                )
            }
        }
    }

    /// The first error of each group.
    private mutating func addErrors(_ moment: ObservedMoment, _ log: inout EventLog) {
        guard let groups = moment.observed.errors?.groups else { return }
        for group in groups where !errors.contains(group.fingerprint) {
            log.add(
                .error,
                EventRow.Severity(group.severity),
                "First \(group.codeOrChain): \(group.sample.text)",
                component: moment.id(named: group.fingerprint.component.name),
                at: moment.grid.seconds(group.firstSeen)
            )
        }
        errors = Set(groups.map(\.fingerprint))
    }

    private mutating func addLeaks(_ row: CensusRow, _ moment: ObservedMoment, _ log: inout EventLog) {
        if row.leakSuspects > suspects[row.component] ?? 0 {
            let text = "\(row.leakSuspects) live on that should have ended"
            log.add(.leak, .warning, text, component: moment.id(named: row.component.name), at: moment.at)
        }
        suspects[row.component] = row.leakSuspects
    }

    /// Contexts and presentations come and go all the time, and are no events.
    private mutating func addLives(_ row: CensusRow, _ moment: ObservedMoment, _ log: inout EventLog) {
        let descriptor = row.component
        guard descriptor.kind != .context, descriptor.kind != .presentation else { return }
        let (before, id, at) = (lives[descriptor] ?? Lives(), moment.id(named: descriptor.name), moment.at)
        if row.created > before.created { log.add(.started, .info, "\(descriptor) was made", component: id, at: at) }
        if row.destroyed > before.destroyed { log.add(.ended, .info, "\(descriptor) has ended", component: id, at: at) }
        lives[descriptor] = Lives(created: row.created, destroyed: row.destroyed)
    }

    private mutating func add(_ verdict: RegressionVerdict, _ moment: ObservedMoment, _ log: inout EventLog) {
        let key = "\(verdict.component).\(verdict.action)"
        let (before, now, id) = (verdicts[key], verdict.verdict.kind, moment.id(named: verdict.component))
        verdicts[key] = now
        if now == .regressed, before != .regressed {
            log.add(.regression, .error, "\(verdict)", component: id, at: moment.at)
        } else if before == .regressed, now == .ok {
            log.add(.regression, .info, "\(key) is as quick as its baseline again", component: id, at: moment.at)
        }
    }

    /// Violations of confirmed budgets, once a minute for each budget and component.
    private mutating func addViolations(_ moment: ObservedMoment, _ log: inout EventLog) {
        for row in moment.observed.budgets?.rows ?? [] {
            for component in row.components where component.isConfirmed {
                let key = "\(row.budget.id)/\(component.name)"
                let before = violations[key] ?? Violations()
                let count = component.counts.violations
                guard count > before.count, moment.at >= before.reported + 60 else { continue }
                violations[key] = Violations(count: count, reported: moment.at)
                let text = "Budget \(row.budget.id): \(count - before.count) over \(component.limit)"
                log.add(.violation, .warning, text, component: moment.id(named: component.name), at: moment.at)
            }
        }
    }
}
