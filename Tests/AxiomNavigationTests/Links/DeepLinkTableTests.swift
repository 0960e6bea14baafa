// SPDX-License-Identifier: Apache-2.0

import Axiom
@_spi(AxiomTools) import AxiomNavigation
import Foundation
import Testing

@Suite("Tables of deep links")
struct DeepLinkTableTests {
    private func table(_ patterns: [String], _ overlaps: LinkOverlaps = .refused) throws -> DeepLinkTable<LinkRoute> {
        let links = try patterns.enumerated().map { index, text in
            try DeepLink<LinkRoute>(text) { _ in [.product(index)] }
        }
        return try DeepLinkTable(links, overlaps: overlaps)
    }

    @Test("A link gives a whole stack of routes, from its text and from a URL (URL-01, URL-03)")
    func stacks() async throws {
        let table = try DeepLinkTable(try LinkRoute.links())
        #expect(try table.routes(for: "shop://product/7") == [.home, .product(7)])
        let url = try #require(URL(string: "https://SHOP.example/product/7?utm=1#top"))
        #expect(try table.routes(for: url) == [.home, .product(7)])
        let unknown = try #require(URL(string: "shop://nowhere"))
        #expect(table.canHandle(url) && !table.canHandle(unknown))
        #expect(try await table.route(from: url) == .product(7))
        let handler: any DeepLinkHandler<LinkRoute> = table
        #expect(try await handler.routes(from: url) == [.home, .product(7)])
    }

    @Test("A link of patterns reads all of them; without a closure that prints it has no URL (URL-01, URL-05)")
    func patterns() throws {
        let patterns = (try URLPattern("shop://item/:id"), try URLPattern("https://shop.example/item/:id"))
        let reading = DeepLink<LinkRoute>(patterns.0, patterns.1) { [.product(try $0.require("id"))] }
        #expect(reading.patterns == [patterns.0, patterns.1])
        let table = try DeepLinkTable([reading])
        for text in ["shop://item/7", "https://shop.example/item/7"] {
            #expect(try table.routes(for: text) == [.product(7)])
        }
        #expect(table.text(for: .product(7)) == nil && table.url(for: .product(7)) == nil)
        let printing = DeepLink<LinkRoute>(patterns.0) {
            [.product(try $0.require("id"))]
        } print: { route in
            if case .product(let id) = route { ["id": id] } else { nil }
        }
        #expect(try DeepLinkTable([printing]).text(for: .product(7)) == "shop://item/7")
    }

    @Test("The URL of every sample leads back to it; a route without a link has no URL (URL-05)")
    func law() throws {
        let table = try DeepLinkTable(try LinkRoute.links(), samples: LinkRoute.difficult)
        try table.validate()
        for route in LinkRoute.samples + LinkRoute.difficult where route != .orphan {
            let text = try #require(table.text(for: route))
            #expect(try table.routes(for: text).last == route)
            let url = try #require(table.url(for: route))
            #expect(url.absoluteString == text)
            #expect(try table.routes(for: url).last == route)
        }
        #expect(table.text(for: .orphan) == nil && table.url(for: .orphan) == nil)
    }

    @Test("All URLs of a route have one normal form (URL-05)")
    func normalForm() throws {
        let table = try DeepLinkTable(try LinkRoute.links())
        for text in ["shop://product/7", "SHOP://Product//007/?a=b", "https://shop.example:443/product/%37#x"] {
            #expect(try table.routes(for: text).last.flatMap(table.text) == "shop://product/7")
        }
    }

    @Test("A table whose links do not print what they read is refused, with each sample (URL-05)")
    func brokenLaw() throws {
        let wrong = try DeepLink<LinkRoute>("shop://product/:id") { captures in
            [.product(try captures.require("id") + 1)]
        } print: { route in
            if case .product(let id) = route { ["id": id] } else { nil }
        }
        let empty = try DeepLink<LinkRoute>("shop://search/:text") { _ in
            nil
        } print: { route in
            if case .search(let text, _) = route { ["text": text] } else { nil }
        }
        let error = try #require(throws: NavigationError.self) {
            try DeepLinkTable([wrong, empty], samples: [.product(1), .search("x", page: nil), .search("", page: nil)])
        }
        #expect(error.code == .unequalLinks)
        for part in ["shop://product/1", "leads to another route", "shop://search/x", "leads nowhere", "cannot print"] {
            #expect(error.message.contains(part), "\(error.message)")
        }
    }

    @Test(
        "Patterns that match the same URL are refused, with an example (URL-02)",
        arguments: [
            ("shop://a/:id", "shop://a/:name"), ("shop://a/:id", "shop://a/new"), ("shop://a/*", "shop://a"),
            ("shop://a/*", "shop://a/b/:c/*d"), ("shop://:host/b", "shop://a/:x"), ("SHOP://A", "shop://a"),
            ("https://a:443/b", "https://a/%62"), ("shop://a?x=:x", "shop://a?y=:y"), ("shop://a?x=1", "shop://a"),
            ("shop://a?x=1", "shop://a?x=:x"), ("shop://a?x=:x?", "shop://a?x=1&y=2"),
        ]
    )
    func overlaps(first: String, second: String) throws {
        for texts in [[first, second], [second, first]] {
            let error = try #require(throws: NavigationError.self) { try table(texts) }
            #expect(error.code == .overlappingPatterns)
            let example = try #require(try URLPattern(texts[0]).overlap(with: URLPattern(texts[1])))
            #expect(error.message.contains(example))
            for text in texts { #expect(try URLPattern(text).match(example) != nil, "\(text) \(example)") }
        }
    }

    @Test(
        "Patterns that no URL matches both are accepted (URL-02)",
        arguments: [
            ["shop://a/:id", "shop://a", "shop://a/:id/b", "shop://b/*", "shop:///a/:id", "https://a/:id"],
            ["shop://a/B", "shop://a/b", "shop://a:1/b"], ["shop://:host/a", "shop:///a"],
            ["shop://a?x=1", "shop://a?x=2", "shop://a?x=&y=:y"], ["shop://b?x=", "shop://b?x=:x"],
        ]
    )
    func disjoint(texts: [String]) throws {
        #expect(try table(texts).patterns.map(\.description) == texts)
    }

    @Test("If a table permits overlaps, a literal wins over a capture and a capture over the rest (URL-02)")
    func literalFirst() throws {
        let texts = ["shop://a/*", "shop://a/:id", "shop://a/new", "shop://a/:id/edit", "shop://a/new/*", "shop://a"]
        let table = try table(texts, .literalFirst)
        let expected = [
            ("shop://a", 5), ("shop://a/1", 1), ("shop://a/new", 2), ("shop://a/1/edit", 3), ("shop://a/new/edit", 4),
            ("shop://a/1/2", 0), ("shop://a/1/2/3", 0),
        ]
        for (text, index) in expected { #expect(try table.routes(for: text) == [.product(index)], "\(text)") }
        #expect(throws: NavigationError.self) { try self.table(["shop://a/:x", "shop://a/:y?z=1"], .literalFirst) }
    }

    @Test("A route whose URL belongs to another link is not printed (URL-05)")
    func shadowed() throws {
        let new = try DeepLink<LinkRoute>("shop://search/new") { _ in [.home] }
        let table = try DeepLinkTable([new, try LinkRoute.searchLink()], overlaps: .literalFirst)
        #expect(table.text(for: .search("old", page: nil)) == "shop://search/old")
        #expect(table.text(for: .search("new", page: nil)) == nil)
    }

    @Test(
        "An unknown link is refused with the nearest pattern as a hint (URL-04)",
        arguments: [
            ("shop://prodct/7", "shop://product/:id"), ("shop://product", "shop://product/:id"),
            ("https://shop.example/setings/a", "https://shop.example/settings/*rest"),
            ("shop:///product/7", "shop://product/:id"), ("shp://home", "shop://home"), ("ftp://x/y/z", nil),
        ]
    )
    func unknown(text: String, hint: String?) throws {
        let table = try DeepLinkTable(try LinkRoute.links())
        let error = try #require(throws: NavigationError.self) { try table.routes(for: text) }
        #expect(error.code == .unknownRoute && error.message.contains(text))
        #expect(error.recoverySuggestion.contains("nearest pattern") == (hint != nil), "\(error.recoverySuggestion)")
        if let hint { #expect(error.recoverySuggestion.hasSuffix("\(hint)."), "\(error.recoverySuggestion)") }
    }

    @Test("The error of an unknown or invalid link does not contain its query, and stays short (URL-04)")
    func secrets() throws {
        let table = try DeepLinkTable(try LinkRoute.links())
        let long = "shop://nowhere/" + String(repeating: "a", count: 2_000)
        for text in ["shop://nowhere?token=secret#secret", "shop://secret%", long, "shop://a" + long + long] {
            let error = try #require(throws: NavigationError.self) { try table.routes(for: text) }
            #expect(!error.message.contains("secret") && error.message.utf8.count < 300, "\(error.message)")
            #expect([.unknownRoute, .invalidLink].contains(error.code))
        }
    }

    @Test("What the closure of a link throws, the caller receives; no routes are an unknown link (URL-01, URL-04)")
    func closures() throws {
        let table = try DeepLinkTable(try LinkRoute.links())
        let error = try #require(throws: NavigationError.self) { try table.routes(for: "shop://product/x") }
        #expect(error.code == .invalidCapture)
        let empty = try DeepLinkTable<LinkRoute>([try DeepLink("shop://a") { _ in [] }])
        #expect(try #require(throws: NavigationError.self) { try empty.routes(for: "shop://a") }.code == .unknownRoute)
    }
}
