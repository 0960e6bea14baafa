// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import AxiomResilience

struct CircuitRow: SnapshotRow {
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
    let transitions: [CircuitTransition]
    let grid: TimeGrid

    private var summary: CircuitSummary { breaker.summary }
    private var rules: CircuitBreakerConfiguration { breaker.configuration }

    static let fields: [RowField<Self>] = [
        RowField("name") { .words($0.summary.name) },
        RowField("component") { .count($0.component) },
        RowField("state") { .term($0.breaker.stateName) },
        RowField("shadow") { .flag($0.breaker.isShadow) },
        RowField("wouldBeOpen") { .flag($0.breaker.wouldBeOpen) },
        RowField("since") { .moment($0.since) },
        RowField("until") { .moment($0.until) },
        RowField("failureRatio") { .measured($0.summary.failureRatio) },
        RowField("failureThreshold") { .measured($0.rules.failureRateThreshold) },
        RowField("slowRatio") { .measured($0.summary.slowRatio) },
        RowField("slowThreshold") {
            .measured($0.rules.slowCallDuration == nil ? nil : $0.rules.slowCallRateThreshold)
        },
        RowField("windowCalls") { .count($0.summary.window.calls) },
        RowField("minimumCalls") { .count($0.rules.minimumCalls) },
        RowField("windowSize") { .count($0.rules.window.callCapacity) },
        RowField("permitsUsed") { .count($0.summary.halfOpenPermitsInUse) },
        RowField("permits") { .count($0.rules.halfOpenPermits) },
        RowField("rejected") { .count($0.summary.counts.rejected) },
        RowField("rejectedRate") { .measured($0.rejectedRate) },
        RowField("shadowRejections") { .count($0.summary.counts.shadowRejections) },
        RowField("lastError") { .words($0.breaker.lastError, limit: 300) },
        RowField("transitions") { row in .json { json in json.list(row.transitions) { row.write($1, to: &$0) } } },
    ]

    private func write(_ transition: CircuitTransition, to json: inout JSONText) {
        json.object { json in
            json.member("at", .moment(grid.seconds(transition.instant)))
            json.member("from", transition.from.pageName)
            json.member("to", transition.to.pageName)
            json.member("reason", transition.reasonText)
        }
    }

    static func rows(_ observed: Observation, _ history: History, _ ids: inout RowIDs) -> [CircuitRow] {
        ids.circuits.keep(observed.breakers.map(\.summary.name))
        return observed.breakers.map { breaker in
            let (summary, grid) = (breaker.summary, history.grid)
            let log = observed.transitions[summary.name] ?? []
            let rejected = summary.counts.rejected - (history.mark?.circuits[summary.name]?.rejected ?? 0)
            return CircuitRow(
                id: ids.circuits.id(summary.name),
                breaker: breaker,
                component: breaker.owner.map { ids.components.id($0) },
                since: log.last.map { grid.seconds($0.instant) } ?? history.startedAt,
                until: breaker.isShadow ? nil : summary.openUntil.map { grid.seconds($0) },
                rejectedRate: Double(rejected) / history.markAge,
                transitions: log,
                grid: grid
            )
        }
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
    var pageName: String { String(rawValue.map { $0 == "_" ? "-" : $0 }) }
}

extension CircuitTransition {
    /// Such as `failure rate`.
    var reasonText: String { String(reason.description.map { $0 == "_" ? " " : $0 }) }
}
