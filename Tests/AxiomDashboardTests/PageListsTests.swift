// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// Compares the lists that the page knows with those of a snapshot. Set AXIOM_WRITE_LISTS to renew them, and run
/// Scripts/embed-page.
@Suite("The lists of the page")
struct PageListsTests {
    private static let file = Repository.root.appending(path: "Dashboards/web/model/lists.js")
    private static let width = 120

    /// The lists as the page's source.
    private func source() -> String {
        let names = ListKind.allCases.map { "'\($0.name)'" }
        return """
            // SPDX-License-Identifier: Apache-2.0
            // The names of the lists of a snapshot. Generated from ListKind by PageListsTests; do not edit.

            export const LIST_NAMES = [
            \(Self.lines(of: names))];

            """
    }

    private static func lines(of names: [String]) -> String {
        var lines = [""]
        for name in names {
            if lines[lines.count - 1].count + name.count + 8 > width { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + name + ","
        }
        return lines.map { "    \($0)\n" }.joined()
    }

    @Test("The page knows the lists of a snapshot")
    func lists() throws {
        if ProcessInfo.processInfo.environment["AXIOM_WRITE_LISTS"] != nil {
            try source().write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(
            written == source(),
            "Run AXIOM_WRITE_LISTS=1 swift test --filter PageListsTests, and then Scripts/embed-page"
        )
    }
}
