// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

/// The page as a program reads it that knows HTML: Python's `html.parser`.
struct ParsedPage: Decodable {
    struct Tag: Decodable {
        let name: String
        let attributes: [String: String?]
    }

    let tags: [Tag]
    /// The text of each cell of a table.
    let cells: [String]
    let text: String
    /// The names of elements that were closed out of order, or not at all.
    let unbalanced: [String]

    static let python = ExternalTool(
        installation: "python3 is missing: apt-get install python3",
        path: ExternalTool.find("python3")
    )

    static func read(_ page: String) async throws -> ParsedPage {
        let output = try await python.run(["-c", script], input: Data(page.utf8))
        try #require(output.status == 0, "\(output.errors)")
        return try JSONDecoder().decode(ParsedPage.self, from: Data(output.output.utf8))
    }

    private static let script = """
        import html.parser, json, sys
        class Reader(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.tags, self.cells, self.words, self.open, self.bad = [], [], [], [], []
            def handle_starttag(self, tag, attributes):
                self.tags.append({"name": tag, "attributes": dict(attributes)})
                if tag in ("td", "th"): self.cells.append("")
                if tag not in ("meta", "link"): self.open.append(tag)
            def handle_endtag(self, tag):
                if self.open and self.open[-1] == tag: self.open.pop()
                else: self.bad.append(tag)
            def handle_data(self, data):
                self.words.append(data)
                if "td" in self.open or "th" in self.open: self.cells[-1] += data
        reader = Reader()
        reader.feed(sys.stdin.buffer.read().decode("utf-8", "strict"))
        reader.close()
        print(json.dumps({"tags": reader.tags, "cells": reader.cells, "text": "".join(reader.words),
                          "unbalanced": reader.bad + reader.open}))
        """
}

@Suite(
    "The tables for browsers without JavaScript",
    .enabled(if: ParsedPage.python.mayRun, "\(ParsedPage.python.installation)")
)
struct TableTests {
    private func page(_ snapshot: Snapshot) -> String {
        OverviewTables(Overview(snapshot)).html
    }

    static let hostile = [
        "<script>alert(1)</script>", "</td></table><img src=x onerror=alert(1)>", "\" onmouseover=\"alert(1)",
        "' onfocus='alert(1)", "&lt;b&gt; &amp; &#60;", "<!-- ", "]]>", "\u{202E}txt.exe", "حساب", "a\u{0300}👩‍👩‍👧",
        "two\nlines",
    ]

    @Test("Whatever a name holds is shown as text and never becomes markup", arguments: hostile)
    func escaping(_ name: String) async throws {
        let metrics = try SampleMetrics()
        try metrics.build(name)
        metrics.component("context", name, created: 1, ended: 0)
        metrics.action("client", name, name, ["success": 1], seconds: 0.1)
        metrics.error(name, name, name, count: 1)
        let parsed = try await ParsedPage.read(page(metrics.snapshot))
        #expect(parsed.cells.filter { $0 == name }.count == 6)
        #expect(parsed.unbalanced.isEmpty)
        let tags: Set = ["h2", "ul", "li", "p", "a", "table", "thead", "tbody", "tr", "th", "td", "bdi"]
        #expect(Set(parsed.tags.map(\.name)).isSubset(of: tags))
        let attributes: Set = ["class", "href"]
        #expect(Set(parsed.tags.flatMap(\.attributes.keys)).isSubset(of: attributes))
    }

    @Test(
        "Control characters, which HTML forbids, are shown as replaced",
        arguments: ["\0", "\u{1B}", "\u{7F}", "\u{85}"]
    )
    func controls(_ character: String) async throws {
        let metrics = try SampleMetrics()
        metrics.error("a\(character)b", "CODE", count: 1)
        let html = page(metrics.snapshot)
        #expect(!html.contains(character))
        #expect(try await ParsedPage.read(html).cells.contains("a\u{FFFD}b"))
    }

    @Test("The tables load nothing and run nothing")
    func origins() async throws {
        let metrics = try SampleMetrics()
        metrics.error("http://example.org/", "javascript:alert(1)", count: 1)
        let parsed = try await ParsedPage.read(page(metrics.snapshot))
        #expect(parsed.tags.allSatisfy { ["export.html", nil].contains($0.attributes["href"]) })
        #expect(parsed.tags.allSatisfy { $0.attributes["src"] == nil })
        #expect(!parsed.tags.contains { $0.name == "script" || $0.attributes.keys.contains { $0.hasPrefix("on") } })
    }

    @Test("Without metrics the page says what is missing")
    func empty() async throws {
        let parsed = try await ParsedPage.read(page(Registry().collect()))
        for text in ["no orchestrator has been started", "no action has ended", "No errors."] {
            #expect(parsed.text.contains(text))
        }
        #expect(!parsed.tags.contains { $0.name == "table" })
        #expect(parsed.unbalanced.isEmpty)
    }

    @Test("A build that records nothing says so", arguments: [true, false])
    func notInstrumented(_ instrumented: Bool) throws {
        let registry = Registry()
        try registry.info("axiom_build_info", help: "Build.", ["instrumented": "\(instrumented)"])
        #expect(page(registry.collect()).contains("records nothing") == !instrumented)
    }

    @Test("More rows than a table has are counted, not shown", arguments: [3, 4, 73])
    func rowLimit(_ count: Int) async throws {
        let metrics = try SampleMetrics()
        for number in 0..<count {
            metrics.action("client", "Cart", "action\(number)", ["success": 1], seconds: 0.1)
            metrics.error("Cart", "CODE_\(number)", count: 1)
        }
        let parsed = try await ParsedPage.read(page(metrics.snapshot))
        #expect(parsed.cells.filter { $0.hasPrefix("action") }.count == 3)
        #expect(parsed.cells.filter { $0.hasPrefix("CODE_") }.count == 3)
        #expect(parsed.text.contains("and \(count - 3) more actions") == (count > 3))
        #expect(parsed.text.contains("and \(count - 3) more kinds of error") == (count > 3))
    }

    @Test("What an export holds has more rows, and names nothing that would hold the rest")
    func whole() async throws {
        let metrics = try SampleMetrics()
        for number in 0..<73 {
            metrics.component("context", "Cart\(number)", created: 2, ended: 1)
        }
        let html = OverviewTables(Overview(metrics.snapshot), isWhole: true).html
        let parsed = try await ParsedPage.read(html)
        #expect(parsed.cells.filter { $0.hasPrefix("Cart") }.count == 73)
        #expect(!parsed.tags.contains { $0.name == "a" })
        #expect(try await ParsedPage.read(page(metrics.snapshot)).tags.contains { $0.name == "a" })
    }

    @Test("What a snapshot left out is named on the page")
    func problems() async throws {
        struct Broken: Collector {
            struct Gone: Error {}
            func collect() throws -> [CollectedFamily] { throw Gone() }
        }
        let registry = Registry()
        registry.register(Broken())
        let parsed = try await ParsedPage.read(page(registry.collect()))
        #expect(parsed.text.contains("Left out of this page"))
        #expect(parsed.text.contains("The collector Broken failed"))
    }

    @Test("Only what asks for attention stands out")
    func alarms() async throws {
        let metrics = try SampleMetrics()
        metrics.component("context", "Fine", created: 2, ended: 1)
        metrics.action("client", "Cart", "add", ["success": 9], seconds: 0.1)
        metrics.error("Cart", "CODE", "warning", count: 1)
        #expect(!page(metrics.snapshot).contains("bad"))
        metrics.component("context", "Leaky", created: 2, ended: 0, suspects: 1)
        metrics.action("client", "Cart", "pay", ["success": 9, "failure": 1], seconds: 0.1)
        metrics.error("Cart", "WORSE", "critical", count: 1)
        let alarming = try await ParsedPage.read(page(metrics.snapshot)).tags
            .filter { $0.attributes["class"].flatMap(\.self)?.split(separator: " ").contains("bad") == true }
        #expect(alarming.count == 3)
    }
}
