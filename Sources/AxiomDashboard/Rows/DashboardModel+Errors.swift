// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomProfile

extension DashboardModel {
    /// How many groups are shown, the one that was heard of last first to stay.
    private static let errorLimit = 400

    mutating func errorRows(_ facts: RowFacts) -> [Row] {
        guard let report = facts.errors else { return [] }
        let groups = report.groups.prefix(Self.errorLimit)
        ids.errors.keep(groups.map { $0.fingerprint } + [nil])
        var rows = groups.map { group in
            let code = group.fingerprint.code ?? group.fingerprint.type
            return Row(
                id: ids.errors.id(group.fingerprint),
                values: [
                    .component(components.id(named: group.fingerprint.component.name)), .words(code),
                    .text(Self.severity(group.severity)), .count(group.count), .moment(grid.seconds(group.firstSeen)),
                    .moment(grid.seconds(group.lastSeen)), .count(group.recoveries.succeeded),
                    .words(group.sample.text, limit: 400),
                ]
            )
        }
        if report.others.groups > 0 {
            rows.append(
                Row(
                    id: ids.errors.id(nil),
                    values: [
                        .none, .text("other"), .none, .count(report.others.count), .none, .none, .none,
                        .text("\(report.others.groups) groups that were silent for the longest"),
                    ]
                )
            )
        }
        return rows
    }

    /// In the words of the page.
    static func severity(_ severity: ErrorSeverity) -> String {
        switch severity {
        case .critical: "critical"
        case .nonCritical: "error"
        case .warning: "warning"
        }
    }

    mutating func regressionRows(_ facts: RowFacts) -> [Row] {
        guard let monitor = telemetry?.regressions, monitor.isJudging else { return [] }
        var rows: [Row] = []
        for verdict in facts.verdicts {
            let before = monitor.baselineSeconds(component: verdict.component, action: verdict.action)
            for (place, probability) in monitor.percentiles.enumerated() {
                rows.append(regressionRow(verdict, probability, before?[place]))
            }
        }
        return rows
    }

    private mutating func regressionRow(_ verdict: RegressionVerdict, _ probability: Double, _ before: Double?) -> Row {
        let percentile = "p\(Int((probability * 100).rounded()))"
        let finding = verdict.findings.first { $0.percentile == probability }
        let kind: Verdict.Kind =
            finding.map {
                $0.isRegressed ? .regressed : verdict.verdict.kind == .regressed ? .ok : verdict.verdict.kind
            }
            ?? verdict.verdict.kind
        let ratio = finding?.ratio
        return Row(
            id: ids.regressions.id("\(verdict.component)/\(verdict.action)/\(percentile)"),
            values: [
                .component(components.id(named: verdict.component)), .words(verdict.action), .text(percentile),
                .text(kind.description), .measured(before),
                .measured(ratio.flatMap { ratio in before.map { $0 * ratio } }),
                .measured(ratio), .count(verdict.requests),
                .words(verdict.verdict.reason == .none ? "" : "\(verdict.verdict.reason)"),
            ]
        )
    }
}
