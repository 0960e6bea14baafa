// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// The functions of a regression in rows, under the heads of the columns.
enum FunctionTable {
    static func rows(_ functions: ChangedFunctions) -> [[String]] {
        [["function", "change", "share", "interval", "confidence"]]
            + functions.named.map { function in
                [
                    function.name, (function.change < 0 ? "" : "+") + Format.time(function.change),
                    String(format: "%.0f %%", 100 * function.share),
                    "\(Format.time(function.low)) … \(Format.time(function.high))",
                    // Never 100 %.
                    String(format: "%.2f %%", min(99.99, 100 * function.confidence)),
                ]
            }
    }

    static func lines(_ functions: ChangedFunctions) -> [String] {
        functions.named.isEmpty ? [] : Columns.layout(rows(functions))
    }
}

/// A flame graph of the difference for a browser. The width of a frame is its time in the new build; it is red if it became slower,
/// and blue if it became faster.
enum DifferenceFlames {
    /// Frames with less of the whole are left out.
    private static let leastShare = 0.005
    private static let width = 1_000.0
    private static let height = 18

    static func render(_ finding: Report.FindingReport) -> String {
        guard let functions = finding.functions else { return "" }
        let lines = [functions.words] + FunctionTable.lines(functions)
        return """
            <h2>\(Markup.escaped(finding.benchmark))</h2><pre>\(Markup.escaped(lines.joined(separator: "\n")))</pre>
            \(graph(functions.tree))
            """
    }

    private static func graph(_ tree: DifferenceTree) -> String {
        var rows: [[String]] = []
        if tree.new > 0 { draw(tree, "all", x: 0, row: 0, of: tree.new, into: &rows) }
        return "<svg viewBox=\"0 0 \(Int(width)) \(rows.count * height)\" width=\"100%\" role=\"img\" font-size=\"11\" "
            + "aria-label=\"flame graph of the difference\">\(rows.joined().joined(separator: "\n"))</svg>"
    }

    /// Draws a frame, and in the rows below it those that it calls.
    private static func draw(
        _ tree: DifferenceTree,
        _ name: String,
        x: Double,
        row: Int,
        of whole: Double,
        into rows: inout [[String]]
    ) {
        let wide = width * tree.new / whole
        let title = "\(name): \(Format.time(tree.old)) before, \(Format.time(tree.new)) now for an iteration"
        if row == rows.count { rows.append([]) }
        rows[row].append(
            """
            <g><title>\(Markup.escaped(title))</title><rect x="\(number(x))" y="\(row * height)" width="\(number(wide))" \
            height="\(height - 1)" fill="\(colour((tree.new - tree.old) / whole))"/><text x="\(number(x + 3))" \
            y="\(row * height + 13)">\(Markup.escaped(String(name.prefix(Int(wide / 7)))))</text></g>
            """
        )
        var left = x
        for (name, child) in tree.children.sorted(by: { $0.key < $1.key }) where child.new / whole >= leastShare {
            draw(child, name, x: left, row: row + 1, of: whole, into: &rows)
            left += width * child.new / whole
        }
    }

    /// Full red or blue at 5 % of the whole.
    private static func colour(_ change: Double) -> String {
        let faded = Int(235 - 175 * min(1, abs(change) / 0.05))
        return change < 0 ? "rgb(\(faded),\(faded),255)" : "rgb(255,\(faded),\(faded))"
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
