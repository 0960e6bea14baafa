// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import Foundation
import Testing

@testable import AxiomVerification

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("Reports for people and programs")
struct ReporterTests {
    @Test("Text has the line, a caret under the token, notes with their places, and the fix as a diff")
    func text() {
        let expected = """
            error[unreadable-file]: expected a name
             --> Sources/Broken.swift:1:8
              |
            1 | struct {
              |        ^

            warning[final-missing]: CartContext is a class that is not final.
             --> Sources/Cart.swift:3:1
              |
            3 | class CartContext: Context {
              | ^^^^^
            help: Add final (axiom-verify --fix)
              - class CartContext: Context {
              + final class CartContext: Context {

            error[context-uses-capability]: CartContext has the capability Network.
             --> Sources/Cart.swift:4:29
              |
            4 |     let price = "é🍵", net: Network
              |                             ^^^^^^^
            note: PriceClient is here
             --> Sources/Price.swift:1:7
              |
            1 | actor PriceClient: Client {}
              |       -----------

            error[stale-baseline]: The baseline accepts client-holds-client for A.b/C, which no finding matches any more. Run \
            `axiom-verify freeze`, which removes the entry.

            1 error, 1 warning, 1 unreadable file, 1 stale entry of the baseline in 3 files (1 accepted). \
            `axiom-verify --fix` mends 1. `axiom-verify rules explain final-missing` says why, and so for each rule.

            """
        #expect(TextReporter(isColored: false).text(SampleVerdict.full) == expected)
    }

    @Test("Colors add escape sequences and nothing else")
    func colors() {
        let colored = TextReporter(isColored: true).text(SampleVerdict.full)
        #expect(colored.contains("\u{1b}[1;31m"))
        let plain = colored.replacing(/\u{1b}\[[0-9;]*m/, with: "")
        #expect(plain == TextReporter(isColored: false).text(SampleVerdict.full))
    }

    @Test("Text of a hostile file moves no cursor, changes no color, and keeps one line for each line")
    func hostileText() {
        let text = TextReporter(isColored: false).text(SampleVerdict.hostile)
        for scalar in ["\u{1b}", "\0", "\u{8}", "\u{202e}", "\r", "\u{2028}"] as [Unicode.Scalar] {
            #expect(!text.unicodeScalars.contains(scalar), "\(scalar.value)")
        }
    }

    @Test("A long line is cut around the mark, and a place beyond the line has a caret at its end")
    func longLine() {
        let line = String(repeating: "a", count: 500) + "X" + String(repeating: "b", count: 500)
        let text = SourceText(path: "a.swift", bytes: Array(line.utf8))
        let marked = MarkedLine(line, text.span(500..<501))
        #expect(marked.text.count < 200)
        #expect(Array(marked.text)[marked.markStart] == "X")
        var beyond = text.span(0..<1)
        beyond.start.column = 5_000
        beyond.end = beyond.start
        #expect(MarkedLine("short", beyond).markStart == 5)
    }

    @Test("GitHub gets one command for each finding, with its text escaped")
    func gitHub() {
        let text = GitHubReporter().text(SampleVerdict.full)
        #expect(
            text.contains(
                "::warning file=Sources/Cart.swift,line=3,col=1,endColumn=6,title=axiom-verify%3A final-missing::"
                    + "CartContext is a class that is not final.%0Ahelp: Add final (axiom-verify --fix)\n"
            )
        )
        let hostile = GitHubReporter().text(SampleVerdict.hostile)
        let lines = hostile.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.filter { $0.hasPrefix("::") }.count == 3)
        #expect(!lines.contains { $0.hasPrefix("::error::") })
        #expect(!hostile.contains("\r"))
    }

    @Test("JUnit is XML with a named suite, files and lines, also for hostile texts")
    func junit() throws {
        let reader = try JUnitReader(JUnitReporter().text(SampleVerdict.full))
        #expect(reader.suite["name"] == "axiom-verify")
        #expect(reader.suite["tests"] == "6" && reader.suite["failures"] == "2" && reader.suite["errors"] == "2")
        #expect(reader.cases.count == 6)
        let cart = reader.cases.filter { $0["file"] == "Sources/Cart.swift" }
        #expect(cart.map { $0["line"] } == ["3", "4", "4"])
        #expect(
            reader.failures == ["CartContext is a class that is not final.", "CartContext has the capability Network."]
        )

        let hostile = try JUnitReader(JUnitReporter().text(SampleVerdict.hostile))
        #expect(hostile.cases.count == 4)
    }

    @Test("An agent gets one line for each finding, with the exact lines that mend it")
    func agent() {
        let lines = AgentReporter().text(SampleVerdict.full).split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(
            lines[1]
                == #"Sources/Cart.swift:3:1: warning: CartContext is a class that is not final. [final-missing] FIX safe "#
                + #"{"title":"Add final","replace":[{"lines":[3,3],"old":"class CartContext: Context {\n","#
                + #""new":"final class CartContext: Context {\n"}]}"#
        )
        #expect(AgentReporter().text(SampleVerdict.hostile).split(separator: "\n").count == 4)
    }

    @Test("Equal verdicts give equal bytes, and a clean run has a report too", arguments: FindingFormat.allCases)
    func stable(format: FindingFormat) {
        let reporter = format.reporter()
        #expect(reporter.text(SampleVerdict.full) == reporter.text(SampleVerdict.full))
        #expect(reporter.text(ProjectVerdict()).hasSuffix("\n"))
    }

    @Test("Other names of rules are used in findings and in the list of rules, each once")
    func aliases() {
        var verdict = SampleVerdict.full
        verdict.rules.append(SampleVerdict.rule("client-reaches-up"))
        let renamed = RuleAliases.swiftlint.applied(to: verdict)
        #expect(renamed.findings.map(\.rule.rawValue) == ["final-missing", "context_client_only"])
        #expect(
            renamed.rules.map(\.id.rawValue) == ["client_capability_only", "context_client_only", "final-missing"]
        )
        for name in [
            "client_capability_only", "context_client_only", "capability_no_dependencies", "view_single_context",
        ] {
            #expect(SwiftLintConfiguration.text.contains("  \(name):\n"))
        }
    }
}

/// Reads a JUnit report.
private final class JUnitReader: NSObject, XMLParserDelegate {
    var suite: [String: String] = [:]
    var cases: [[String: String]] = []
    var failures: [String] = []

    init(_ text: String) throws {
        super.init()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = self
        try #require(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "") in \(text)")
    }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch name {
        case "testsuite": suite = attributes
        case "testcase": cases.append(attributes)
        case "failure": failures.append(attributes["message"] ?? "")
        default: break
        }
    }
}
