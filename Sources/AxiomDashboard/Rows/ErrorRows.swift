// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomStatistics

/// One group of errors, or all groups that were dropped.
struct ErrorRow: SnapshotRow {
    let id: Int
    let component: Int?
    let code: String
    /// The codes of the error and its causes; nil if it has no cause.
    let chain: String?
    /// nil for the dropped groups, of which it is not known.
    let severity: ErrorSeverity?
    let count: UInt64
    let first: Double?
    let last: Double?
    let recovered: UInt64?
    /// The text of one of the errors.
    let sample: String

    /// nil for a code that is not the framework's.
    private var entry: ErrorCatalog.Entry? { ErrorCatalog.entry(for: ErrorCode(rawValue: code)) }

    var severityName: String? { severity.map { EventRow.Severity($0).rawValue } }

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.component) },
        RowField("code") { .words($0.code) },
        RowField("chain") { .words($0.chain, limit: 400) },
        RowField("meaning", .onceWithTheRow) { .words($0.entry?.meaning) },
        RowField("remedy", .onceWithTheRow) { .words($0.entry?.remedy) },
        RowField("severity") { .term($0.severityName) },
        RowField("count") { .count($0.count) },
        RowField("first") { .moment($0.first) },
        RowField("last") { .moment($0.last) },
        RowField("recovered") { .count($0.recovered) },
        RowField("sample") { .words($0.sample, limit: 400) },
    ]

    /// The most groups. Those that were silent for the longest are left out.
    private static let limit = 400

    static func rows(_ observed: Observation, _ history: History, _ ids: inout RowIDs) -> [ErrorRow] {
        guard let report = observed.errors else { return [] }
        let groups = report.groups.prefix(limit)
        ids.errors.keep(groups.map { $0.fingerprint } + [nil])
        let rows = groups.map { group in
            ErrorRow(
                id: ids.errors.id(group.fingerprint),
                component: ids.components.id(named: group.fingerprint.component.name),
                code: group.codeOrType,
                chain: group.sample.chain,
                severity: group.severity,
                count: group.count,
                first: history.grid.seconds(group.firstSeen),
                last: history.grid.seconds(group.lastSeen),
                recovered: group.recoveries.succeeded,
                sample: group.sample.text
            )
        }
        guard report.others.groups > 0 else { return rows }
        return rows + [ErrorRow(report.others, id: ids.errors.id(nil))]
    }
}

extension ErrorRow {
    /// The row of the groups that were dropped.
    private init(_ others: ErrorMonitor.Others, id: Int) {
        (self.id, count) = (id, others.count)
        code = "other"
        (component, chain, severity, first, last, recovered) = (nil, nil, nil, nil, nil, nil)
        sample = "\(others.groups) groups that were silent for the longest"
    }
}

extension ErrorGroup {
    /// The code of the errors, or the name of their type if they have none.
    var codeOrType: String { fingerprint.error.codeOrType }

    /// The chain of the causes of the latest error, or its code if it has no cause.
    var codeOrChain: String { sample.chain ?? codeOrType }
}

/// One percentile of an action, beside its baseline.
struct RegressionRow: SnapshotRow {
    let id: Int
    let component: Int?
    let action: String
    let percentile: String
    let verdict: Verdict.Kind
    /// In seconds; nil for an action that the baseline does not have.
    let baseline: Double?
    let ratio: Double?
    let requests: UInt64
    let reason: String
    /// The trace of the slowest call that has one.
    let trace: TraceID?

    static let fields: [RowField<Self>] = [
        RowField("component") { .count($0.component) },
        RowField("action") { .words($0.action) },
        RowField("percentile") { .term($0.percentile) },
        RowField("verdict") { .term($0.verdict.description) },
        RowField("baseline") { .measured($0.baseline) },
        RowField("current") { row in .measured(row.ratio.flatMap { ratio in row.baseline.map { $0 * ratio } }) },
        RowField("ratio") { .measured($0.ratio) },
        RowField("requests") { .count($0.requests) },
        RowField("reason") { .words($0.reason, limit: 400) },
        RowField("trace") { .term($0.trace?.description) },
    ]

    static func rows(_ observed: Observation, _ ids: inout RowIDs) -> [RegressionRow] {
        observed.verdicts.flatMap { reading in
            let trace = observed.slowestTrace(of: reading.verdict.component, reading.verdict.action)
            return reading.percentiles.enumerated().map { index, probability in
                RegressionRow(reading.verdict, probability, reading.baseline?[index], trace, &ids)
            }
        }
    }

    private init(
        _ verdict: RegressionVerdict,
        _ probability: Double,
        _ before: Double?,
        _ trace: TraceID?,
        _ ids: inout RowIDs
    ) {
        self.trace = trace
        percentile = "p\(Int((probability * 100).rounded()))"
        let finding = verdict.findings.first { $0.percentile == probability }
        id = ids.regressions.id("\(verdict.component)/\(verdict.action)/\(percentile)")
        component = ids.components.id(named: verdict.component)
        action = verdict.action
        self.verdict = Self.kind(verdict, finding)
        baseline = before
        ratio = finding?.ratio
        requests = verdict.requests
        let isFair = verdict.verdict.kind != .incomparable && verdict.verdict.reason != .unknownOperation
        let words = [verdict.verdict.reason == .none ? "" : "\(verdict.verdict.reason)"]
        let more = [isFair ? "" : verdict.verdict.detail, finding?.isRegressed == true ? verdict.functions ?? "" : ""]
        reason = (words + more).filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// Of an action that became slower, only the percentiles that did are regressed.
    private static func kind(_ verdict: RegressionVerdict, _ finding: LiveFinding?) -> Verdict.Kind {
        guard let finding else { return verdict.verdict.kind }
        if finding.isRegressed { return .regressed }
        return verdict.verdict.kind == .regressed ? .ok : verdict.verdict.kind
    }
}
