// SPDX-License-Identifier: Apache-2.0

import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@Suite("The page of the budgets")
struct BudgetPageTests {
    private static let page = Repository.root.appending(path: "Documentation/budgets-and-regressions.md")
    private static let begin = "<!-- generated from here: Scripts/error-codes --budgets -->\n"
    private static let end = "<!-- to here -->\n"

    @Test(
        "Its table has each budget that is measured, with limit, statistic, operation and place, in the order of the catalogue"
    )
    func table() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.firstRange(of: Self.begin))
        let end = try #require(text.firstRange(of: Self.end))
        let rows = PerformanceBudget.specification.compactMap(Self.row)
        try #require(rows.count > 20)
        let table = (["| budget | limit | of | operation | measured at |", "| --- | --- | --- | --- | --- |"] + rows)
            .map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["AXIOM_WRITE_BUDGETS"] != nil {
            let page = text[..<begin.upperBound] + table + text[end.lowerBound...]
            try String(page).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            let written = text[begin.upperBound..<end.lowerBound]
            #expect(written == table, "Run Scripts/error-codes --budgets and look at what changed.")
        }
    }

    /// Nil for a budget that is not measured.
    private static func row(_ budget: PerformanceBudget) -> String? {
        guard case .measured(let place) = budget.place else { return nil }
        return "| `\(budget.id)` | \(budget.limit) | \(budget.statistic ?? .p99) | \(budget.operation) | \(place) |"
    }
}
