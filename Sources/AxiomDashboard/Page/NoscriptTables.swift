// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// The problems, and the rows of components, actions and errors, as text and tables that any browser shows and any screen
/// reader reads: for browsers without JavaScript.
struct NoscriptTables {
    /// How many problems, and rows of a table, the page has at most that every reader is sent. Most readers never see them.
    static let fewRows = 3
    /// How many rows a table has in the export.
    static let manyRows = 200
    /// How many problems the export lists.
    static let manyProblems = 10

    var components: [ComponentRow] = []
    var calls: [CallRow] = []
    var errors: [ErrorRow] = []
    var problems: [ProblemRow] = []
    /// The time of the data, in seconds since 1970.
    var at: Double?
    /// The kind and the name of each component, by id.
    var index = ComponentIndex()
    /// Whether the build records anything: false without the package trait `Instrumented`.
    var isInstrumented = true
    /// Where the export is, which has the rows that are missing here; nil for the export itself.
    var export: String?
    /// How many problems, and rows of a table, there are besides the export.
    var rows = fewRows

    private var limit: Int { export == nil ? Self.manyRows : rows }
    private var problemLimit: Int { export == nil ? Self.manyProblems : rows }

    /// A piece of HTML. Every value goes in as text.
    var html: String {
        var html = HTMLWriter()
        html.element("p") {
            let time = at.map { " of \(QuantityText.moment($0))" } ?? ""
            $0.text("Live data needs JavaScript. This is the data\(time); percentiles are of the last minute. ")
            if let export { $0.link(export, "All rows") }
        }
        writeProblems(to: &html)
        if !isInstrumented {
            html.element("p") {
                $0.text("This build records nothing: it was made without the package trait Instrumented.")
            }
        }
        write(componentTable, to: &html)
        write(actionTable, to: &html)
        write(errorTable, to: &html)
        return html.output
    }

    /// The problems that last and are not caused by another one, the severe ones first.
    private func writeProblems(to html: inout HTMLWriter) {
        let lasting = problems.filter { $0.ended == nil && $0.cause == nil }
            .sorted { ($0.level, $0.since, $0.id) < ($1.level, $1.since, $1.id) }
        html.element("h2") { $0.text(Self.title(lasting)) }
        guard !lasting.isEmpty, problemLimit > 0 else { return }
        html.element("ul") { list in
            for problem in lasting.prefix(problemLimit) {
                let symptoms = problems.count { $0.cause == problem.id && $0.ended == nil }
                list.element("li") { item in
                    item.text(problem.level.title + ": ")
                    item.value(problem.text)
                    item.text(", since \(QuantityText.moment(problem.since))")
                    if symptoms > 0 { item.text(" (\(symptoms) \(symptoms == 1 ? "symptom" : "symptoms"))") }
                }
            }
        }
        let rest = lasting.count - problemLimit
        let noun = lasting.contains { $0.level == .observation } ? "" : " problems"
        if rest > 0 { html.element("p") { $0.text("and \(rest) more\(noun)") } }
    }

    /// Counts the problems alone; without any, the observations.
    private static func title(_ lasting: [ProblemRow]) -> String {
        let observations = lasting.count { $0.level == .observation }
        let count = lasting.count - observations
        guard count == 0 else { return count == 1 ? "1 problem" : "\(count) problems" }
        guard observations > 0 else { return "No problems" }
        return "No failures; \(observations) \(observations == 1 ? "observation" : "observations")"
    }

    private func write(_ table: Table, to html: inout HTMLWriter) {
        if table.rows.isEmpty {
            html.element("h2") { $0.text(table.title) }
            html.element("p") { $0.text(table.whenEmpty) }
        } else if limit > 0 {
            html.table(table.title, table.columns, Array(table.rows.prefix(limit)))
        }
        let rest = table.rows.count - limit
        if rest > 0 { html.element("p") { $0.text("and \(rest) more \(table.items)") } }
    }

    private struct Table {
        let title: String
        let columns: [HTMLWriter.Cell]
        let rows: [[HTMLWriter.Cell]]
        /// What stands there instead of a table without rows.
        let whenEmpty: String
        /// What the rows are, in the plural.
        let items: String
    }

    /// Components with leak suspects first, and then those of which most were created.
    private var componentTable: Table {
        func rank(_ row: ComponentRow) -> (Int, UInt64) { (row.counts?.leakSuspects ?? 0, row.counts?.created ?? 0) }
        let sorted = components.filter { $0.counts != nil }.sorted { left, right in
            rank(left) == rank(right) ? left.name < right.name : rank(left) > rank(right)
        }
        return Table(
            title: "Component lifetimes",
            columns: [
                .text("Component"), .text("Kind"), .number("Live"), .number("Created"), .number("Ended"),
                .number("Leak suspects"), .number("Median"), .number("95 %"), .number("Longest"),
            ],
            rows: sorted.map(\.cells),
            whenEmpty: "No components yet: no orchestrator has been started.",
            items: "components"
        )
    }

    /// Actions that were called, by their 99th percentile.
    private var actionTable: Table {
        func key(_ row: CallRow) -> (Double, String, String) {
            (-(row.calls.quantile(0.99) ?? 0), index.name(row.component), row.action)
        }
        let called = calls.filter { $0.calls.total > 0 }.sorted { key($0) < key($1) }
        return Table(
            title: "Actions, slowest first",
            columns: [
                .text("Action"), .text("Component"), .text("Kind"), .number("Calls"), .number("Errors"),
                .number("Error rate"), .number("Cancelled"), .number("Median"), .number("99 %"),
            ],
            rows: called.map { $0.cells(index) },
            whenEmpty: "Nothing measured yet: no action has ended.",
            items: "actions"
        )
    }

    /// Errors, the most frequent first.
    private var errorTable: Table {
        func key(_ row: ErrorRow) -> (String, String) { (row.component.map { index.name($0) } ?? "", row.code) }
        let frequent = errors.filter { $0.count > 0 }.sorted { left, right in
            left.count == right.count ? key(left) < key(right) : left.count > right.count
        }
        return Table(
            title: "Errors, most frequent first",
            columns: [.text("Component"), .text("Code"), .text("Severity"), .number("Count")],
            rows: frequent.map { row in
                [
                    .text(key(row).0), .text(row.chain ?? row.code),
                    .text(row.severityName ?? "", isAlarming: row.severity == .critical),
                    .number("\(row.count)"),
                ]
            },
            whenEmpty: "No errors.",
            items: "kinds of error"
        )
    }
}

extension ProblemLevel {
    fileprivate var title: String {
        switch self {
        case .bad: "Severe"
        case .warning: "Warning"
        case .observation: "Observation"
        }
    }
}

extension ComponentRow {
    fileprivate var name: String { descriptor.name }

    fileprivate var cells: [HTMLWriter.Cell] {
        let suspects = counts?.leakSuspects ?? 0
        return [
            .text(name), .text(descriptor.kind.rawValue), .number("\(live ?? 0)"), .number("\(counts?.created ?? 0)"),
            .number("\(counts?.destroyed ?? 0)"), .number("\(suspects)", isAlarming: suspects > 0),
            .number(QuantityText.seconds(lifetime?.seconds.estimate(0.5))),
            .number(QuantityText.seconds(lifetime?.seconds.estimate(0.95))),
            .number(QuantityText.seconds(lifetime?.longest)),
        ]
    }
}

extension CallRow {
    fileprivate func cells(_ index: ComponentIndex) -> [HTMLWriter.Cell] {
        let outcomes = calls.outcomes
        return [
            .text(action), .text(index.name(component)), .text(index.descriptors[component].kind.rawValue),
            .number("\(calls.total)"), .number("\(outcomes.failure)"),
            .number(
                QuantityText.percentage(outcomes.failureRatio),
                isAlarming: outcomes.failure + outcomes.rejected > 0
            ),
            .number("\(outcomes.cancelled)"), .number(QuantityText.seconds(calls.quantile(0.5))),
            .number(QuantityText.seconds(calls.quantile(0.99))),
        ]
    }
}
