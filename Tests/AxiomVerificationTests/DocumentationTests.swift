// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("The pages on axiom-verify")
struct DocumentationTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    @Test("The table of rules is that of the catalog: severities, summaries, and fixes as the twins have them (TL-V8)")
    func rules() throws {
        let twins = RuleTwinTests.twins + RuleTwinTests.offTwins
        let expected = try RuleCatalog.all.map { rule in
            let severity = rule.isOnByDefault ? rule.severity.rawValue : "off"
            let safeties = try Set(twins.filter { $0.rule == rule.id && $0.isFixable }.map(Self.safety))
            #expect(safeties.count <= 1)
            let fix = safeties.first.map { ": \($0.rawValue) |" } ?? "|  |"
            return (start: "| `\(rule.id.rawValue)` | \(severity) | \(rule.summary.dropLast()) |", end: fix)
        }
        let page = try Self.text("Documentation/axiom-verify.md")
        let rows = try #require(page.components(separatedBy: "| rule | severity | finds | fix |\n").last)
            .split(separator: "\n").dropFirst().prefix { $0.hasPrefix("|") }
        #expect(rows.count == RuleCatalog.all.count)
        for (row, expected) in zip(rows, expected) {
            #expect(row.hasPrefix(expected.start) && row.hasSuffix(expected.end), "\(row)")
        }
    }

    private static func safety(of twin: Twin) throws -> Fix.Safety {
        var configuration = VerifierConfiguration()
        configuration.enabled = [twin.rule]
        let findings = judge(try twin.marked().filter { $0 != "⟦" }, configuration).findings
        return try #require(findings.first { $0.rule == twin.rule }?.fix).safety
    }

    @Test("Each option of the page is one of the command, or of SwiftPM")
    func options() async throws {
        let folder = try SampleFolder()
        var known = "--traits --allow-writing-to-package-directory"
        for command in [["verify"], ["freeze"], ["imports"], ["graph"], ["rules"], ["swiftlint-config"]] {
            known += try await folder.verify(command + ["--help"]).output
        }
        let options = try Self.text("Documentation/axiom-verify.md").matches(of: #/--[a-z][a-z-]+/#).map(\.output)
        #expect(options.count > 15)
        #expect(Set(options).filter { !known.contains($0) } == [])
    }

    @Test("The commands of the workflow file do what their steps say")
    func workflow() async throws {
        let lines = try Self.text("Documentation/axiom-verify-workflow.yml").split(separator: "\n")
        let program = ".build-verify/release/axiom-verify"
        let commands = lines.filter { $0.contains("run: \(program) ") }.map { line in
            line.split(separator: " ").drop { $0 != program }.dropFirst().prefix { $0 != "||" }.map(String.init)
        }
        try #require(commands.count == 2)
        let folder = try SampleFolder([
            "Sources/Shop/Price.swift": CommandLineTests.wrong, "Sources/Shop/Cart.swift": CommandLineTests.holder,
        ])
        let pull = try await folder.verify(commands[0], environment: ["CI=true"])
        #expect(
            pull.status == 1 && pull.output.hasPrefix("::error file=Sources/Shop/Cart.swift,line=5,"),
            "\(pull.errors)"
        )
        let scan = try await folder.verify(commands[1], environment: ["CI=true"])
        #expect(scan.status == 1 && scan.output.isEmpty, "\(scan.errors)")
        let upload = try #require(lines.first { $0.contains("sarif_file: ") }).split(separator: " ").last
        #expect(try folder.read(String(try #require(upload))).contains("\"version\": \"2.1.0\""))
        #expect(
            lines.contains {
                $0.hasSuffix("swift build -c release --product axiom-verify --scratch-path .build-verify")
            }
        )
    }
}
#endif
