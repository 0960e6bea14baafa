// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Foundation
import Testing

@Suite("Patterns of links")
struct URLPatternTests {
    @Test("Captures stand for whole elements of the sequence, and the rest for all that remain (URL-02)")
    func captures() throws {
        let product = try URLPattern("shop://product/:id")
        #expect(product.match("SHOP://PRODUCT/7/?utm=mail#top") == ["id": "7"])
        #expect(product.match("shop://product") == nil && product.match("shop://product/7/8") == nil)
        #expect(product.match("shop://product/%2F")?["id"] == "/" && product.match("http://product/7") == nil)

        #expect(product.match("shop://product/%37?a#b") == ["id": "7"])

        let settings = try URLPattern("https://shop.example/settings/*rest")
        #expect(settings.match("https://SHOP.example:443/settings/a/b%2Fc")?.segments("rest") == ["a", "b/c"])
        #expect(settings.match("https://shop.example/settings") == [:])
        #expect(settings.match("https://shop.example/Settings/a") == nil)
        #expect(settings.match("https://shop.example.evil.example/settings") == nil)

        let tenant = try URLPattern("https://:tenant/a/*")
        #expect(tenant.match("https://Blue.example:8080/a/b/c") == ["tenant": "blue.example:8080"])
        #expect(tenant.match("https:///a/b") == nil)
    }

    @Test(
        "Items of the query are required, optional, or literal; others are ignored, and the first value counts (URL-02)"
    )
    func query() throws {
        let pattern = try URLPattern("shop://a?tab=:tab&page=:page?&mode=edit&debug")
        #expect(pattern.match("shop://a?mode=edit&tab=x&debug&other=1&tab=y") == ["tab": "x"])
        #expect(pattern.match("shop://a?debug=&page=2&tab=x&mode=edit") == ["tab": "x", "page": "2"])
        for query in ["", "?tab=x", "?tab=&mode=edit&debug", "?tab=x&mode=view&debug", "?tab=x&mode=edit&debug=1"] {
            #expect(pattern.match("shop://a\(query)") == nil, "\(query)")
        }
        #expect(pattern.match("shop://a?tab=x&page=&mode=edit&debug") == ["tab": "x"])
    }

    @Test("Captures are read with their types; a value that is missing or has another type throws (URL-02)")
    func types() throws {
        let captures: URLCaptures = ["id": 7, "price": 1.5, "name": "x"]
        #expect(captures["id", as: Int.self] == 7 && captures["price", as: Double.self] == 1.5)
        #expect(captures["name", as: Int.self] == nil && captures["none"] == nil && captures.segments("id").isEmpty)
        #expect(try captures.require("id", as: UInt8.self) == 7)
        for name in ["name", "none"] {
            let error = try #require(throws: NavigationError.self) { try captures.require(name, as: Int.self) }
            #expect(error.code == .invalidCapture && error.message.contains(name))
        }
    }

    @Test("A pattern prints captures in one form, and only those that it would read again (URL-05)")
    func printing() throws {
        let pattern = try URLPattern("SHOP://Caf%C3%A9/:id/x y?tab=:tab&page=:page?&debug".replacing(" ", with: "%20"))
        let full: URLCaptures = ["id": "a/b é+", "tab": "1&2", "page": "3"]
        let text = "shop://Caf%C3%A9/a%2Fb%20%C3%A9%2B/x%20y?tab=1%262&page=3&debug="
        #expect(pattern.text(full) == text.replacing("Caf", with: "caf"))
        #expect(pattern.match(text) == full)
        #expect(pattern.text(["id": "1", "tab": "2"])?.hasSuffix("/1/x%20y?tab=2&debug=") == true)
        let long = String(repeating: "é", count: 400)
        for id in ["", ".", "..", "\u{0}", long] { #expect(pattern.text(["id": id, "tab": "2"]) == nil) }
        #expect(pattern.text(["id": "1"]) == nil && pattern.text(["id": "1", "tab": "2", "other": "3"]) == nil)
        #expect(try URLPattern("https://:host/").text(["host": "[::1]:8080"]) == "https://[::1]:8080")
        #expect(try URLPattern("https://:host/").text(["host": "UPPER"]) == nil)
        #expect(try URLPattern("shop:///a/*b").text(URLCaptures([:], segments: ["b": ["c", ""]])) == nil)
    }

    @Test(
        "An invalid pattern gets an error that shows the position and the remedy (URL-02)",
        arguments: [
            ("product/:id", 0, "no scheme"), (":s://a", 0, "no scheme"), ("shop:a", 5, "//"),
            ("shop://a/:", 10, "name"),
            ("shop://a/:1", 10, "name"), ("shop://a/:id.json", 12, "another character"),
            ("shop://a/:id/:id", 14, "twice"),
            ("shop://a/*rest/b", 9, "not at the end"), ("shop://a/b*", 10, "of its own"),
            ("shop://*.a/b", 7, "of its own"),
            ("shop://a//b", 9, "empty segment"), ("shop://a/../b", 9, "segment"), ("shop://a/b#c", 10, "fragment"),
            ("shop://a/:id?", 13, "no name"), ("shop://a?x=1&x=2", 13, "twice"), ("shop://a?x=:a&y=:a", 17, "twice"),
            ("shop://a?x=*", 11, "of its own"), ("shop://a/%4", 9, "hexadecimal"), ("shop://a/%FF", 9, "UTF-8"),
            ("shop://a b", 8, "white space"), ("shop://u@a", 8, "user name"), ("shop://a:0", 9, "port"),
            ("", 0, "no scheme"),
            ("shop://é/:é", 10, "name"), ("shop://a?x=:a??", 13, "another character"),
        ]
    )
    func invalid(text: String, column: Int, reason: String) throws {
        let error = try #require(throws: NavigationError.self) { try URLPattern(text) }
        let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 3, "\(error.message)")
        #expect(error.code == .invalidPattern && lines[0].contains(reason), "\(error.message)")
        #expect(lines[1] == "    \(text.replacing("\u{0}", with: "?"))")
        #expect(lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) } == column + 4)
        #expect(error.recoverySuggestion.hasSuffix("."))
    }

    @Test("A long pattern is refused, and its error stays short (URL-02)")
    func longPattern() throws {
        let segment = String(repeating: "a", count: 1_000)
        #expect(throws: Never.self) { try URLPattern("shop://a/\(segment)") }
        let many = "shop://a" + String(repeating: "/a", count: 65)
        for text in ["shop://a/\(segment)aaaaaaaaaaaaaaaaaa", many, "shop://" + String(repeating: "🎉", count: 3 << 20)]
        {
            let error = try #require(throws: NavigationError.self) { try URLPattern(text) }
            #expect(error.code == .invalidPattern && error.message.utf8.count < 600)
        }
    }
}
