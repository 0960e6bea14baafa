// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import Axiom
@testable import AxiomNavigation

@Suite("The documentation and the errors of deep links")
struct LinkDocumentationTests {
    @Test("The example of the documentation is the one that is compiled here, and its routes lead back (URL-05)")
    func example() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let page = try text("Documentation/deep-links.md").split(separator: "```swift\n")
        let example = try #require(page.last?.split(separator: "```").first)
        #expect(try text("Tests/AxiomNavigationTests/Links/LinkDocumentationExample.swift").hasSuffix(example))
        let table = try CatalogRoute.links()
        #expect(try table.routes(for: "https://shop.example/product/7?utm=mail") == [.home, .product(7)])
        #expect(table.text(for: .product(7)) == "shop://product/7")
    }

    @Test("Each error of links has a code, a severity and an action of the catalogue (NAV-24)")
    func errors() throws {
        let pattern = try URLPattern("shop://a")
        let problem = LinkProblem("it is empty", at: 0, "Write it.")
        let errors: [NavigationError] = [
            .invalidPattern("", problem), .overlappingPatterns(pattern, pattern, example: "shop://a"),
            .invalidLink(problem),
            .invalidCapture("id", "Int", isMissing: true), .unequalLinks(["shop://a leads nowhere"]), .noLinkHandler(),
        ]
        let codes = ErrorCatalog.navigation.map(\.code.rawValue).filter {
            ("AXIOM_NAVIGATION_011"..."AXIOM_NAVIGATION_016").contains($0)
        }
        #expect(errors.map(\.code.rawValue) == codes)
        for error in errors + [.unknownLink(try LinkText("shop://b"), nearest: pattern)] {
            let entry = try #require(ErrorCatalog.entry(for: error.code))
            #expect(error.severity == entry.severity && error.suggestedAction == entry.suggestedAction)
            #expect(error.message.hasSuffix(".") && error.recoverySuggestion.hasSuffix("."), "\(error)")
        }
    }
}
