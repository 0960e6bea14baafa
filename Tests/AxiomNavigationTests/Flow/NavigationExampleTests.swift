// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("The page on navigation", .timeLimit(.minutes(10)))
struct NavigationExampleTests {
    @Test("The example of the page is the one that is compiled here")
    func same() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/navigation.md").split(separator: "```swift\n")
        let example = try #require(page.last?.split(separator: "```").first)
        #expect(try text("Tests/AxiomNavigationTests/Flow/NavigationExample.swift").hasSuffix(example))
    }

    @Test("The example shows its pages, and the sign-in page over the page before (NAV-01, NAV-02, NAV-06)")
    @MainActor
    func runs() async throws {
        var shown: [[String]] = []
        try await runShop { shown.append($0) }
        let texts = shown.reduce(into: [[String]]()) { if $0.last != $1 { $0.append($1) } }
        #expect(
            texts == [
                ["This is home."], ["This is product."], ["This is product.", "This is sign_in."], ["This is home."],
                [],
            ]
        )
    }
}
