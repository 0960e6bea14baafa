// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomProfile
internal import AxiomResilience

/// What was known when news was last looked for.
struct KnownState: Sendable {
    var transitions: UInt64 = 0
    /// When the latest transition of each breaker was.
    var latestTransition: [String: Double] = [:]
    var errors: Set<ErrorFingerprint> = []
    var suspects: [ComponentDescriptor: Int] = [:]
    var lives: [ComponentDescriptor: [UInt64]] = [:]
    var verdicts: [String: Verdict.Kind] = [:]
    var violations: [String: UInt64] = [:]
    /// When violations of a budget by a component were last told of.
    var toldViolations: [String: Double] = [:]
}

extension DashboardModel {
    /// Adds what has happened since the last time to the feed.
    mutating func noteNews(_ facts: RowFacts) {
        noteTransitions()
        noteErrors(facts)
        for row in facts.census { noteLife(row) }
        for verdict in facts.verdicts { note(verdict) }
        noteViolations(facts)
    }

    private mutating func noteTransitions() {
        guard let log = telemetry?.transitions, log.count != known.transitions else { return }
        known.transitions = log.count
        for (name, transitions) in log.transitions.sorted(by: { $0.key < $1.key }) {
            let latest = known.latestTransition[name] ?? -.infinity
            for transition in transitions where grid.seconds(transition.instant) > latest {
                let time = grid.seconds(transition.instant)
                known.latestTransition[name] = time
                let steps = "\(CircuitFact.word(transition.from)) to \(CircuitFact.word(transition.to))"
                let would = transition.isShadow ? " would go from " : ": "
                add(
                    "transition",
                    transition.to == .open ? "warning" : "info",
                    name,
                    "Circuit \(name)\(would)\(steps), \(transition.reasonInWords)",
                    at: time
                )
            }
        }
    }

    private mutating func noteErrors(_ facts: RowFacts) {
        guard let groups = facts.errors?.groups else { return }
        for group in groups where !known.errors.contains(group.fingerprint) {
            let code = group.fingerprint.code ?? group.fingerprint.type
            let text = "First \(code): \(group.sample.text)"
            add(
                "error",
                Self.severity(group.severity),
                group.fingerprint.component.name,
                text,
                at: grid.seconds(group.firstSeen)
            )
        }
        known.errors = Set(groups.map(\.fingerprint))
    }

    /// Contexts and presentations come and go all the time, and stand in the lanes; the others are news.
    private mutating func noteLife(_ row: CensusRow) {
        let (descriptor, suspects) = (row.component, known.suspects[row.component] ?? 0)
        if row.leakSuspects > suspects {
            add("leak", "warning", descriptor.name, "\(row.leakSuspects) live on that should have ended")
        }
        known.suspects[descriptor] = row.leakSuspects
        guard descriptor.kind != .context, descriptor.kind != .presentation else { return }
        let lives = known.lives[descriptor] ?? [0, 0]
        if row.created > lives[0] { add("started", "info", descriptor.name, "\(descriptor) was made") }
        if row.destroyed > lives[1] { add("ended", "info", descriptor.name, "\(descriptor) has ended") }
        known.lives[descriptor] = [row.created, row.destroyed]
    }

    private mutating func note(_ verdict: RegressionVerdict) {
        let key = "\(verdict.component).\(verdict.action)"
        let (before, now) = (known.verdicts[key], verdict.verdict.kind)
        known.verdicts[key] = now
        if now == .regressed, before != .regressed {
            add("regression", "error", verdict.component, "\(verdict)")
        } else if before == .regressed, now == .ok {
            add("regression", "info", verdict.component, "\(key) is as quick as its baseline again")
        }
    }

    mutating func add(_ kind: String, _ severity: String, _ component: String, _ text: String, at time: Double? = nil) {
        feed.add(
            EventFeed.Event(
                at: time ?? at,
                kind: kind,
                severity: severity,
                component: components.id(named: component),
                text: text
            )
        )
    }
}
