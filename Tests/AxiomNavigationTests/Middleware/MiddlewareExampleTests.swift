// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTestSupport
import Foundation
import Testing

@Suite("Documentation of middleware and prefetch", .timeLimit(.minutes(10)))
struct MiddlewareExampleTests {
    @Test("The example of the documentation is the one that is compiled here (NAV-07, NAV-08, NAV-09, NAV-17)")
    func documentation() throws {
        let text = { (path: String) in
            try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        }
        let parts = try text("Documentation/navigation-middleware.md").split(separator: "```swift\n")
        let example = try #require(parts.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomNavigationTests/Middleware/MiddlewareExample.swift").hasSuffix(example))
    }

    @Test("The example works: its middleware can be made, and its prefetcher loads a product (NAV-17)")
    func works() async throws {
        #expect(try storeMiddleware(isSignedIn: { true }, report: { _ in }).count == 3)
        let prefetcher = try storePrefetcher { "product \($0)" }
        prefetcher.approaching(StoreRoute.product(7))
        await eventually { prefetcher.counts.kept == 1 }
        #expect(try await prefetcher.value(ProductName(id: 7)) == "product 7")
        #expect(prefetcher.counts.used == 1)
    }
}
