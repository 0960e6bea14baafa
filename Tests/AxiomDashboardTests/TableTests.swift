// SPDX-License-Identifier: Apache-2.0

import Axiom
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
    static let hostile = [
        "<script>alert(1)</script>", "</td></table><img src=x onerror=alert(1)>", "\" onmouseover=\"alert(1)",
        "' onfocus='alert(1)", "&lt;b&gt; &amp; &#60;", "<!-- ", "]]>", "\u{202E}txt.exe", "حساب", "a\u{0300}👩‍👩‍👧",
        "two\nlines",
    ]

    @Test("Whatever a name holds is shown as text and never becomes markup", arguments: hostile)
    func escaping(_ name: String) async throws {
        var sample = SampleTables()
        sample.component(.context, name, created: 1, ended: 0)
        sample.action(.client, name, name, OutcomeCounts(success: 1), seconds: 0.1)
        sample.error(name, name, count: 1)
        let parsed = try await ParsedPage.read(sample.html)
        #expect(parsed.cells.filter { $0 == name }.count == 5)
        #expect(parsed.unbalanced.isEmpty)
        let tags: Set = ["h2", "p", "a", "table", "thead", "tbody", "tr", "th", "td", "bdi"]
        #expect(Set(parsed.tags.map(\.name)).isSubset(of: tags))
        let attributes: Set = ["class", "href"]
        #expect(Set(parsed.tags.flatMap(\.attributes.keys)).isSubset(of: attributes))
    }

    @Test("The current causes are at the top, the severe ones first, with their times and the number of their symptoms")
    func problems() async throws {
        var sample = SampleTables()
        sample.component(.context, "Cart", created: 1, ended: 0)
        func row(
            _ id: Int,
            _ text: String,
            level: ProblemLevel,
            since: Double,
            ended: Double? = nil,
            cause: Int? = nil
        ) {
            sample.tables.problems.append(
                ProblemRow(
                    id: id,
                    level: level,
                    panel: "components",
                    component: nil,
                    cause: cause,
                    text: text,
                    since: since,
                    at: since,
                    ended: ended
                )
            )
        }
        sample.tables.at = 1_700_000_060
        row(0, "Cart: 2 leak suspects", level: .warning, since: 1_700_000_000)
        row(1, "<b>Network</b> fails", level: .bad, since: 1_700_000_030)
        row(2, "Circuit User is open", level: .bad, since: 1_700_000_031, cause: 1)
        row(4, "Saw's state_memory is 3 MB", level: .observation, since: 1_700_000_000)
        row(3, "Circuit Cart was open", level: .bad, since: 1_700_000_001, ended: 1_700_000_002)
        let parsed = try await ParsedPage.read(sample.html)
        #expect(parsed.unbalanced.isEmpty)
        #expect(!parsed.tags.contains { $0.name == "b" })
        let text = parsed.text
        let parts = [
            "This is the data of 2023-11-14T22:14:20Z", "2 problems",
            "Severe: <b>Network</b> fails, since 2023-11-14T22:13:50Z (1 symptom)",
            "Warning: Cart: 2 leak suspects, since 2023-11-14T22:13:20Z",
            "Observation: Saw's state_memory is 3 MB, since 2023-11-14T22:13:20Z", "Component lifetimes",
        ]
        let positions = parts.map { text.firstRange(of: $0)?.lowerBound }
        #expect(!positions.contains(nil), "\(text)")
        #expect(positions.compactMap(\.self) == positions.compactMap(\.self).sorted())
        #expect(!text.contains("Circuit"))
        sample.tables.problems = sample.tables.problems.filter { $0.level == .observation }
        #expect(sample.html.contains("<h2>No failures; 1 observation</h2>"))
    }

    @Test("Without problems the page says so; of many it lists three, its export ten, and both count the rest")
    func numberOfProblems() async throws {
        var sample = SampleTables()
        #expect(sample.html.contains("<h2>No problems</h2>"))
        for id in 0..<23 {
            sample.tables.problems.append(
                ProblemRow(
                    id: id,
                    level: .warning,
                    panel: "errors",
                    component: nil,
                    cause: nil,
                    text: "P\(id)",
                    since: 1,
                    at: 1,
                    ended: nil
                )
            )
        }
        let text = try await ParsedPage.read(sample.html).text
        #expect(text.contains("23 problems"))
        #expect(text.contains("P2") && !text.contains("P3"))
        #expect(text.contains("and 20 more problems"))
        sample.tables.export = nil
        let export = try await ParsedPage.read(sample.html).text
        #expect(export.contains("P9") && !export.contains("P10"))
        #expect(export.contains("and 13 more problems"))
    }

    @Test(
        "Control characters, which HTML forbids, are shown as replaced",
        arguments: ["\0", "\u{1B}", "\u{7F}", "\u{85}"]
    )
    func controls(_ character: String) async throws {
        var sample = SampleTables()
        sample.error("a\(character)b", "CODE", count: 1)
        #expect(!sample.html.contains(character))
        #expect(try await ParsedPage.read(sample.html).cells.contains("a\u{FFFD}b"))
    }

    @Test("The tables load nothing and run nothing")
    func origins() async throws {
        var sample = SampleTables()
        sample.error("http://example.org/", "javascript:alert(1)", count: 1)
        let parsed = try await ParsedPage.read(sample.html)
        #expect(parsed.tags.allSatisfy { ["export.html", nil].contains($0.attributes["href"]) })
        #expect(parsed.tags.allSatisfy { $0.attributes["src"] == nil })
        #expect(!parsed.tags.contains { $0.name == "script" || $0.attributes.keys.contains { $0.hasPrefix("on") } })
    }

    @Test("Without rows the page says what is missing")
    func empty() async throws {
        let parsed = try await ParsedPage.read(SampleTables().html)
        for text in ["no orchestrator has been started", "no action has ended", "No errors."] {
            #expect(parsed.text.contains(text))
        }
        #expect(!parsed.tags.contains { $0.name == "table" })
        #expect(parsed.unbalanced.isEmpty)
    }

    @Test("A build that records nothing says so", arguments: [true, false])
    func notInstrumented(_ instrumented: Bool) {
        var sample = SampleTables()
        sample.tables.isInstrumented = instrumented
        #expect(sample.html.contains("records nothing") == !instrumented)
    }

    @Test("More rows than a table has are counted, not shown", arguments: [3, 4, 73])
    func rowLimit(_ count: Int) async throws {
        var sample = SampleTables()
        for number in 0..<count {
            sample.action(.client, "Cart", "action\(number)", OutcomeCounts(success: 1), seconds: 0.1)
            sample.error("Cart", "CODE_\(number)", count: 1)
        }
        let parsed = try await ParsedPage.read(sample.html)
        #expect(parsed.cells.filter { $0.hasPrefix("action") }.count == 3)
        #expect(parsed.cells.filter { $0.hasPrefix("CODE_") }.count == 3)
        #expect(parsed.text.contains("and \(count - 3) more actions") == (count > 3))
        #expect(parsed.text.contains("and \(count - 3) more kinds of error") == (count > 3))
    }

    @Test("An export has more rows, and no link to the rest")
    func whole() async throws {
        var sample = SampleTables()
        for number in 0..<73 { sample.component(.context, "Cart\(number)", created: 2, ended: 1) }
        #expect(try await ParsedPage.read(sample.html).tags.contains { $0.name == "a" })
        sample.tables.export = nil
        let parsed = try await ParsedPage.read(sample.html)
        #expect(parsed.cells.filter { $0.hasPrefix("Cart") }.count == 73)
        #expect(!parsed.tags.contains { $0.name == "a" })
    }

    @Test("Components with leak suspects come first, then those of which most were created; each has its counts")
    func components() async throws {
        var sample = SampleTables()
        sample.component(.client, "Cart", created: 7, ended: 0)
        sample.component(.context, "Home", created: 5, ended: 3, suspects: 1)
        sample.component(.client, "Attic", created: 7, ended: 0)
        let cells = try await ParsedPage.read(sample.html).cells.dropFirst(9)
        #expect(
            stride(from: cells.startIndex, to: cells.endIndex, by: 9).map { cells[$0] } == ["Home", "Attic", "Cart"]
        )
        #expect(Array(cells.prefix(6)) == ["Home", "context", "2", "5", "3", "1"])
    }

    @Test("Actions come slowest first, names decide among equals, and those that were never called are missing")
    func actions() async throws {
        var sample = SampleTables()
        sample.action(.client, "B", "same", OutcomeCounts(success: 1), seconds: 0.004)
        sample.action(.context, "A", "same", OutcomeCounts(success: 1), seconds: 0.004)
        sample.action(.client, "Cart", "endless", OutcomeCounts(success: 1), seconds: 30)
        sample.action(.client, "Cart", "unused", OutcomeCounts(), seconds: 0)
        let cells = try await ParsedPage.read(sample.html).cells.dropFirst(9)
        let rows = stride(from: cells.startIndex, to: cells.endIndex, by: 9).map { Array(cells[$0..<$0 + 3]) }
        #expect(rows == [["endless", "Cart", "client"], ["same", "A", "context"], ["same", "B", "client"]])
    }

    @Test(
        "The error rate is the share of all calls that failed or were rejected",
        arguments: [
            (OutcomeCounts(success: 3, failure: 1), "25 %"),
            (OutcomeCounts(success: 3, failure: 1, cancelled: 9, rejected: 9), "45.5 %"),
            (OutcomeCounts(failure: 2), "100 %"), (OutcomeCounts(success: 2), "0 %"),
            (OutcomeCounts(cancelled: 4), "0 %"), (OutcomeCounts(rejected: 4), "100 %"),
        ]
    )
    func errorRate(_ outcomes: OutcomeCounts, _ rate: String) async throws {
        var sample = SampleTables()
        sample.action(.client, "Cart", "add", outcomes, seconds: 0.1)
        let cells = try await ParsedPage.read(sample.html).cells.dropFirst(9)
        #expect(Array(cells)[3] == "\(outcomes.total)")
        #expect(Array(cells)[5] == rate)
    }

    @Test("Errors come most frequent first, and those that never happened not at all")
    func errors() async throws {
        var sample = SampleTables()
        sample.error("A", "RARE", count: 1)
        sample.error("B", "OFTEN", .critical, count: 9)
        sample.error("C", "NEVER", count: 0)
        sample.error("A", "ALSO_RARE", count: 1)
        let cells = try await ParsedPage.read(sample.html).cells
        #expect(
            cells.filter { $0.allSatisfy { $0.isUppercase || $0 == "_" } && $0.count > 1 } == [
                "OFTEN", "ALSO_RARE", "RARE",
            ]
        )
    }

    @Test("Only what asks for attention stands out")
    func alarms() async throws {
        var sample = SampleTables()
        sample.component(.context, "Fine", created: 2, ended: 1)
        sample.action(.client, "Cart", "add", OutcomeCounts(success: 9), seconds: 0.1)
        sample.error("Cart", "CODE", .warning, count: 1)
        #expect(!sample.html.contains("bad"))
        sample.component(.context, "Leaky", created: 2, ended: 0, suspects: 1)
        sample.action(.client, "Cart", "pay", OutcomeCounts(success: 9, failure: 1), seconds: 0.1)
        sample.error("Cart", "WORSE", .critical, count: 1)
        let alarming = try await ParsedPage.read(sample.html).tags
            .filter { $0.attributes["class"].flatMap(\.self)?.split(separator: " ").contains("bad") == true }
        #expect(alarming.count == 3)
    }

    @Test("The tables of a page are those of its application")
    func application() async throws {
        let workshop = try Workshop(["Saw", "Plane"])
        await workshop.work(0, .slow)
        await workshop.work(1, .broken)
        workshop.tick()
        let parsed = try await ParsedPage.read(String(decoding: workshop.dashboard.page(), as: UTF8.self))
        for cell in ["Saw", "Plane", "slow", "broken", "Broken"] { #expect(parsed.cells.contains(cell), "\(cell)") }
    }
}
