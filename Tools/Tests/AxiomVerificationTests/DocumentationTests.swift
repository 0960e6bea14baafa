// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("The pages on axiom-verify")
struct DocumentationTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    @Test("The page of rules is that of the catalog, with a heading for each; AXIOM_WRITE_RULES=1 writes it (TL-V8)")
    func rules() throws {
        let page = try Self.pageOfRules()
        let file = Repository.root.appending(path: "Documentation/verify-rules.md")
        if ProcessInfo.processInfo.environment["AXIOM_WRITE_RULES"] != nil {
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page, "Scripts/error-codes --rules writes the page.")
        for rule in RuleCatalog.all { #expect(page.contains("\n## \(rule.id.rawValue)\n")) }
    }

    private static func pageOfRules() throws -> String {
        var text = """
            # Rules of axiom-verify

            What each rule of [axiom-verify](axiom-verify.md) finds, why, and what of it `--fix` mends. `axiom-verify rules explain RULE`
            prints the same. `Scripts/error-codes --rules` generates this page.

            A rule offers no fix if it sees code in the judged files that would not compile afterwards: judge all files of a package. A file
            that would not parse after its fixes stays as it is.

            """
        for rule in RuleCatalog.all {
            let severity = "`\(rule.severity.rawValue)`" + (rule.isOnByDefault ? "" : ", off by default")
            text += "\n## \(rule.id.rawValue)\n\n\(rule.summary)\n\n\(rule.rationale)\n\n"
            text += "Severity \(severity). \(try remedy(rule))"
            if !rule.mayBeBaselined { text += " A baseline cannot accept its findings." }
            text += "\n"
        }
        return text
    }

    /// How a fix is applied, as the twins of the rule have it.
    private static func remedy(_ rule: Rule) throws -> String {
        let twins = (RuleTwinTests.twins + RuleTwinTests.offTwins).filter { $0.rule == rule.id && $0.isFixable }
        let safeties = try Set(twins.map(safety))
        #expect(safeties.count <= 1)
        #expect((rule.mended == nil) == safeties.isEmpty, "\(rule.id.rawValue)")
        return switch safeties.first {
        case .safe: "`--fix` mends \(rule.mended ?? "")."
        case .review: "`--fix --unsafe` mends \(rule.mended ?? ""). Read the change."
        case nil: "There is no fix."
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
        var known = "--package-path --allow-writing-to-package-directory"
        for command in [["verify"], ["freeze"], ["imports"], ["graph"], ["rules"], ["swiftlint-config"]] {
            known += try await folder.verify(command + ["--help"]).output
        }
        let options = try Self.text("Documentation/axiom-verify.md").matches(of: #/--[a-z][a-z-]+/#).map(\.output)
        #expect(options.count > 15)
        #expect(Set(options).filter { !known.contains($0) } == [])
    }

    @Test("The commands of the workflow file do what their steps say")
    func workflow() async throws {
        let (lines, commands) = try Self.workflowFile()
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
        #expect(lines.contains { $0.hasSuffix("Scripts/install-tools .build-verify") })
    }

    @Test("The commands of the workflow file judge all paths of the settings: stale entries fail", arguments: [0, 1])
    func wholeWorkflow(number: Int) async throws {
        let folder = try SampleFolder([
            "axiom-verify.json": #"{ "schemaVersion": 1, "paths": ["Sources", "Tests"] }"#,
            "Sources/Shop/Price.swift": CommandLineTests.wrong,
            "Tests/ShopTests/Other.swift": "import Axiom\n\n@MainActor class OtherContext: Context {}\n",
        ])
        #expect(try await folder.verify("freeze").status == 0)
        let command = try Self.workflowFile().commands[number]
        let frozen = try await folder.verify(command, environment: ["CI=true"])
        #expect(frozen.status == 0, "\(frozen.output) \(frozen.errors)")
        try folder.write("", to: "Tests/ShopTests/Other.swift")
        let stale = try await folder.verify(command, environment: ["CI=true"])
        #expect(stale.status == 4, "\(stale.output) \(stale.errors)")
    }

    /// The lines of the workflow file, and the arguments of its two calls of axiom-verify.
    private static func workflowFile() throws -> (lines: [Substring], commands: [[String]]) {
        let lines = try text("Documentation/axiom-verify-workflow.yml").split(separator: "\n")
        let program = ".build-verify/axiom-verify"
        let commands = lines.filter { $0.contains("run: \(program) ") }.map { line in
            line.split(separator: " ").drop { $0 != program }.dropFirst().prefix { $0 != "||" }.map(String.init)
        }
        try #require(commands.count == 2)
        return (lines, commands)
    }
}
