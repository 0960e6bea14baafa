// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// Compares the lists that the page knows with the rows. Set AXIOM_WRITE_LISTS to write them anew after a change of the
/// rows, and run Scripts/embed-page.
@Suite("The lists of the page")
struct PageListsTests {
    private static let file = Repository.root.appending(path: "Dashboards/web/model/lists.js")
    private static let width = 120

    /// The lists as the page's source.
    private func source() throws -> String {
        var ids = RowIDs()
        let history = History(.live, try Telemetry().readings, &ids.components)
        var rows = RowSource(observed: Observation(), history: history, ids: ids)
        let lists = ListKind.allCases.map { kind in
            let names = kind.list(&rows).names.map { "'\($0)'" }
            return "    \(kind.name): [\n\(Self.lines(of: names))    ],\n"
        }
        return """
            // SPDX-License-Identifier: Apache-2.0
            // The lists of a snapshot, with the fields of their rows beside `id`. Generated from the rows of AxiomDashboard by its
            // PageListsTests; do not edit.

            export const LIST_FIELDS = {
            \(lists.joined())};

            """
    }

    private static func lines(of names: [String]) -> String {
        var lines = [""]
        for name in names {
            if lines[lines.count - 1].count + name.count + 12 > width { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + name + ","
        }
        return lines.map { "        \($0)\n" }.joined()
    }

    @Test("The page knows the lists of a snapshot and the fields of their rows")
    func lists() throws {
        if ProcessInfo.processInfo.environment["AXIOM_WRITE_LISTS"] != nil {
            try source().write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(
            written == (try source()),
            "Run AXIOM_WRITE_LISTS=1 swift test --filter PageListsTests, and then Scripts/embed-page"
        )
    }
}
