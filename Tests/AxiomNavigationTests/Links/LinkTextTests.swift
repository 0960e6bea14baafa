// SPDX-License-Identifier: Apache-2.0

import Axiom
import Testing

@testable import AxiomNavigation

@Suite("Texts of links")
struct LinkTextTests {
    private func read(_ text: String) -> String? {
        guard let link = try? LinkText(text) else { return nil }
        let query = link.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return "\(link.scheme) \(link.elements.joined(separator: "|"))\(query.isEmpty ? "" : " ?\(query)")"
    }

    @Test(
        "Scheme, host and path are one sequence, in one form for all spellings (URL-02)",
        arguments: [
            ("shop://product/7", "shop product|7"), ("SHOP://Product/A", "shop product|A"),
            ("shop:///product", "shop |product"), ("shop:/product", "shop |product"), ("shop:product", "shop |product"),
            ("shop:", "shop "), ("shop://", "shop "), ("shop://a//b///c/", "shop a|b|c"),
            ("shop://a/b/../c/./d", "shop a|c|d"), ("shop://a/%2e%2E/%2e/b", "shop a|b"),
            ("shop://a/../../b", "shop a|b"),
            ("https://h:443/x", "https h|x"), ("http://h:80", "http h"), ("https://h:80/", "https h:80"),
            ("shop://h:080", "shop h:80"), ("shop://h:", "shop h"),
            ("http://[2001:DB8::1]:8080/a", "http [2001:db8::1]:8080|a"),
            ("https://%53hop.example", "https shop.example"), ("x+y.z-1://h", "x+y.z-1 h"),
            ("shop://a/b:c;d=e", "shop a|b:c;d=e"), ("shop://ä/é/🎉", "shop ä|é|🎉"),
        ]
    )
    func sequence(text: String, expected: String) {
        #expect(read(text) == expected)
    }

    @Test(
        "Text is percent-decoded once, after it has been split (URL-02)",
        arguments: [
            ("shop://a/b%2Fc", "shop a|b/c"), ("shop://a/%252F", "shop a|%2F"), ("shop://a/%C3%A9", "shop a|é"),
            ("shop://a/x+y", "shop a|x+y"), ("shop://a?q=x+y%2B", "shop a ?q=x y+"),
            ("shop://a?q=1%26b=2", "shop a ?q=1&b=2"),
            ("shop://a?q=%0A", "shop a ?q=\n"), ("shop://a?=1&&b&c=", "shop a ?b=&c="),
            ("shop://a?q=1#f?q=2", "shop a ?q=1"),
            ("shop://a#f/b", "shop a"), ("shop://a?x/y?z=1", "shop a ?x/y?z=1"), ("shop://a/b%3Fc%23", "shop a|b?c#"),
        ]
    )
    func decoding(text: String, expected: String) {
        #expect(read(text) == expected)
    }

    @Test(
        "Malformed links are refused (URL-04)",
        arguments: [
            "", " ", "shop", "/a/b", "://a", "1shop://a", "sh op://a", "shöp://a", "shop://a b", "shop://a\u{0}",
            "shop://a\n",
            "shop://a/%", "shop://a/%4", "shop://a/%zz", "shop://a/%%41", "shop://a/%FF", "shop://a/%C3",
            "shop://a/%ED%A0%80",
            "shop://a/%00", "shop://a?%", "shop://a?q=%FF", "shop://user@a", "shop://user:pass@a/b", "shop://@a",
            "shop://a:b",
            "shop://a:0", "shop://a:65536", "shop://a:999999", "shop://:80", "shop://a:-1", "shop://a:1:2",
            "shop://[::1",
            "shop://[::1]x", "shop://[]", "shop://[::g]", "shop://[fe80::1%25eth0]", "shop://a]", "shop://a%2Fb",
            "shop://a%40b",
            "shop://a%20b", "https://shop.example\\@evil.example/", "shop://a<b>", "shop://a\u{7f}",
        ]
    )
    func malformed(text: String) {
        #expect(throws: LinkProblem.self) { try LinkText(text) }
    }

    @Test("The answer of a sign-in with tokens of several kilobytes is a link, up to the limit of the table")
    func tokens() throws {
        let token = String(repeating: "t", count: 3_000)
        let pattern = { try DeepLink<LinkRoute>("shop://signed-in?code=:code?") { _ in [.home] } }
        let table = try DeepLinkTable([try pattern()])
        for text in ["?code=\(token)", "?state=1&id_token=\(token)&code=x", "#access_token=\(token)"] {
            #expect(try table.routes(for: "shop://signed-in" + text) == [.home])
        }
        let short = try DeepLinkTable([try pattern()], maximumLength: 100)
        let error = #expect(throws: NavigationError.self) { try short.routes(for: "shop://signed-in?code=\(token)") }
        #expect(error?.message.contains("100 bytes") == true)
        #expect(error?.recoverySuggestion.contains("maximumLength") == true)
        let whole = 16_384 - "shop://a?".utf8.count
        #expect(try LinkText("shop://a?" + String(repeating: "b", count: whole)).elements == ["a"])
        #expect(throws: LinkProblem.self) { try LinkText("shop://a?" + String(repeating: "b", count: whole + 1)) }
    }

    @Test(
        "A link has at most 2,048 bytes before its query and 64 segments; ten megabytes are refused by their length (URL-04)"
    )
    func bounds() throws {
        let head = "shop://a/"
        #expect(try LinkText(head + String(repeating: "b", count: 2_039)).elements.count == 2)
        #expect(throws: LinkProblem.self) { try LinkText(head + String(repeating: "b", count: 2_040)) }
        #expect(try LinkText(head + String(repeating: "b/", count: 64)).elements.count == 65)
        #expect(throws: LinkProblem.self) { try LinkText(head + String(repeating: "b/", count: 65)) }
        #expect(throws: LinkProblem.self) { try LinkText(head + String(repeating: "b/../", count: 40)) }
        for text in ["b", "/", "%", "é", "🎉", "?", "\u{0}"] {
            #expect(throws: LinkProblem.self) { try LinkText(head + String(repeating: text, count: 10 << 20)) }
        }
    }
}
