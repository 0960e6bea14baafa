// SPDX-License-Identifier: Apache-2.0

/// The overview as tables that any browser shows and any screen reader reads: for browsers without JavaScript.
struct OverviewTables {
    /// How many rows a table has in the page that every reader is sent, most of whom never see it.
    static let fewRows = 3
    /// How many it has in the export, which the page names for the rest.
    static let manyRows = 200

    private let overview: Overview
    private let isWhole: Bool
    private let export: String

    /// - Parameters:
    ///   - isWhole: Whether the tables have many rows; else they have few, and the rest is counted.
    ///   - export: Where the page with whole tables is.
    init(_ overview: Overview, isWhole: Bool = false, export: String = "export.html") {
        self.overview = overview
        self.isWhole = isWhole
        self.export = export
    }

    private var limit: Int { isWhole ? Self.manyRows : Self.fewRows }

    /// A piece of HTML in UTF-8. Every value goes in as text.
    var html: String {
        var html = HTMLWriter()
        html.element("p") {
            $0.text("This page needs JavaScript. This is how things stood. ")
            if !isWhole { $0.link(export, "All of it") }
        }
        if !overview.isInstrumented {
            html.element("p") {
                $0.text("This build records nothing: it was made without the package trait Instrumented.")
            }
        }
        writeProblems(&html)
        writeComponents(&html)
        writeActions(&html)
        writeErrors(&html)
        return html.output
    }

    private func writeProblems(_ html: inout HTMLWriter) {
        guard !overview.problems.isEmpty else { return }
        html.element("h2") { $0.text("Left out of this page") }
        html.element("ul") { html in
            for problem in overview.problems { html.element("li") { $0.value(problem) } }
        }
    }

    private func writeComponents(_ html: inout HTMLWriter) {
        write(
            "Component lifetimes",
            [
                .text("Component"), .text("Kind"), .number("Live"), .number("Created"), .number("Ended"),
                .number("Leak suspects"), .number("Median"), .number("Mean"),
            ],
            overview.components.prefix(limit).map(\.cells),
            whenEmpty: "No components yet: no orchestrator has been started.",
            &html
        )
        writeRest(overview.components.count - limit, "components", &html)
    }

    private func writeActions(_ html: inout HTMLWriter) {
        write(
            "Actions, slowest first",
            [
                .text("Action"), .text("Component"), .text("Kind"), .number("Calls"), .number("Errors"),
                .number("Error rate"), .number("Cancelled"), .number("Median"), .number("99 %"), .number("Mean"),
            ],
            overview.actions.prefix(limit).map(\.cells),
            whenEmpty: "Nothing measured yet: no action has ended.",
            &html
        )
        writeRest(overview.actions.count - limit, "actions", &html)
    }

    private func writeErrors(_ html: inout HTMLWriter) {
        write(
            "Errors, most frequent first",
            [.text("Component"), .text("Code"), .text("Severity"), .number("Count")],
            overview.errors.prefix(limit).map(\.cells),
            whenEmpty: "No errors.",
            &html
        )
        writeRest(overview.errors.count - limit, "kinds of error", &html)
    }

    private func write(
        _ title: String,
        _ columns: [HTMLWriter.Column],
        _ rows: [[HTMLWriter.Cell]],
        whenEmpty: String,
        _ html: inout HTMLWriter
    ) {
        guard rows.isEmpty else { return html.table(title, columns, rows) }
        html.element("h2") { $0.text(title) }
        html.element("p") { $0.text(whenEmpty) }
    }

    private func writeRest(_ count: Int, _ what: String, _ html: inout HTMLWriter) {
        guard count > 0 else { return }
        html.element("p") { $0.text("and \(count) more \(what)") }
    }
}

extension Overview.ComponentRow {
    fileprivate var cells: [HTMLWriter.Cell] {
        [
            .text(name), .text(kind), .number(Format.count(live)), .number(Format.count(created)),
            .number(Format.count(ended)), .number(Format.count(leakSuspects), isAlarming: leakSuspects > 0),
            .number(Format.estimate(lifetime.p50)), .number(Format.seconds(lifetime.mean)),
        ]
    }
}

extension Overview.ActionRow {
    fileprivate var cells: [HTMLWriter.Cell] {
        [
            .text(action), .text(component), .text(kind), .number(Format.count(total)),
            .number(Format.count(calls["failure", default: 0])),
            .number(Format.percentage(errorRate), isAlarming: (errorRate ?? 0) > 0),
            .number(Format.count(calls["cancelled", default: 0])), .number(Format.estimate(latency.p50)),
            .number(Format.estimate(latency.p99)), .number(Format.seconds(latency.mean)),
        ]
    }
}

extension Overview.ErrorRow {
    fileprivate var cells: [HTMLWriter.Cell] {
        [
            .text(component), .text(code), .text(severity, isAlarming: severity == "critical"),
            .number(Format.count(count)),
        ]
    }
}
