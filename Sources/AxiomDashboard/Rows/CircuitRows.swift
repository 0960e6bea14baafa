// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience

/// One circuit breaker.
struct CircuitRow: SnapshotRow {
    /// One of its latest transitions.
    struct Transition: Sendable {
        let at: Double
        let transition: CircuitTransition
    }

    let id: Int
    let breaker: BreakerReading
    /// The component that it guards; nil for a breaker that the application watches.
    let component: Int?
    /// When the state began.
    let since: Double
    /// When the open time is over.
    let until: Double?
    /// Rejected calls per second in the last minute.
    let rejectedRate: Double
    let transitions: [Transition]

    private var summary: CircuitSummary { breaker.summary }
    private var rules: CircuitBreakerConfiguration { breaker.configuration }

    static let fields: [Field<Self>] = [
        .text("name") { $0.summary.name },
        .count("component") { $0.component },
        .term("state") { $0.breaker.stateName },
        .flag("shadow") { $0.breaker.isShadow },
        .flag("wouldBeOpen") { $0.breaker.wouldBeOpen },
        .moment("since") { $0.since },
        .moment("until") { $0.until },
        .measured("failureRatio") { $0.summary.failureRatio },
        .measured("failureThreshold") { $0.rules.failureRateThreshold },
        .measured("slowRatio") { $0.summary.slowRatio },
        .measured("slowThreshold") { $0.rules.slowCallDuration == nil ? nil : $0.rules.slowCallRateThreshold },
        .count("windowCalls") { $0.summary.window.calls },
        .count("minimumCalls") { $0.rules.minimumCalls },
        .count("windowSize") { $0.rules.window.callCapacity },
        .count("permitsUsed") { $0.summary.halfOpenPermitsInUse },
        .count("permits") { $0.rules.halfOpenPermits },
        .count("rejected") { $0.summary.counts.rejected },
        .measured("rejectedRate") { $0.rejectedRate },
        .count("shadowRejections") { $0.summary.counts.shadowRejections },
        .text("lastError", limit: 300) { $0.breaker.lastError },
        .json("transitions") { row, json in json.list(row.transitions) { $1.write(to: &$0) } },
    ]

    static func rows(_ observed: Observation, _ history: History, _ ids: inout RowIDs) -> [CircuitRow] {
        ids.circuits.keep(observed.breakers.map(\.summary.name))
        return observed.breakers.map { breaker in
            let (summary, grid) = (breaker.summary, history.grid)
            let log = observed.transitions[summary.name] ?? []
            let rejected = summary.counts.rejected - (history.mark?.rejectedByCircuit[summary.name] ?? 0)
            return CircuitRow(
                id: ids.circuits.id(summary.name),
                breaker: breaker,
                component: breaker.owner.map { ids.components.id($0) },
                since: log.last.map { grid.seconds($0.instant) } ?? history.startedAt,
                until: breaker.isShadow ? nil : summary.openUntil.map { grid.seconds($0) },
                rejectedRate: Double(rejected) / history.markAge,
                transitions: log.map { Transition(at: grid.seconds($0.instant), transition: $0) }
            )
        }
    }
}

extension CircuitRow.Transition {
    fileprivate func write(to json: inout JSONText) {
        json.raw("{\"at\":" as StaticString)
        Value.moment(at).write(to: &json)
        json.raw(",\"from\":" as StaticString)
        json.string(transition.from.pageName)
        json.raw(",\"to\":" as StaticString)
        json.string(transition.to.pageName)
        json.raw(",\"reason\":" as StaticString)
        json.string(transition.reasonText)
        json.raw("}" as StaticString)
    }
}

extension BreakerReading {
    var isShadow: Bool { summary.state == .shadow }
    /// Whether only the shadow mode keeps it from refusing calls.
    var wouldBeOpen: Bool { isShadow && summary.decidedState == .open }

    /// The state as the page calls it: in shadow mode all calls pass.
    var stateName: String { isShadow ? CircuitState.closed.pageName : summary.state.pageName }
}

extension CircuitState {
    /// What the page calls it.
    var pageName: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        case .forcedOpen: "forced-open"
        case .disabled: "disabled"
        case .shadow: "shadow"
        }
    }
}

extension CircuitTransition {
    /// Such as `failure rate`.
    var reasonText: String {
        String(reason.description.map { $0 == "_" ? " " : $0 })
    }
}
