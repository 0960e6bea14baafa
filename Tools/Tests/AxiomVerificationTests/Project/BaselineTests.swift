// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Baselines")
struct BaselineTests {
    private static let known: Set<String> = ["a", "b", "never"]

    private func verdict(_ findings: (rule: String, identity: String)...) -> ProjectVerdict {
        let text = SourceText(path: "x.swift", bytes: Array("let x = 1".utf8))
        var verdict = ProjectVerdict()
        verdict.findings = findings.map { finding in
            let rule = RuleID(rawValue: finding.rule)
            return Finding(rule: rule, severity: .error, at: text.span(0..<1), message: "m", identity: finding.identity)
        }
        verdict.rules = Self.known.sorted().map { name in
            var rule = SampleVerdict.rule(name)
            rule.mayBeBaselined = name != "never"
            return rule
        }
        return verdict
    }

    @Test("The file has one entry a line in order, and reads as it was written")
    func text() throws {
        let first = verdict(("b", "Z"), ("a", "Y\"\n"), ("a", "X"), ("a", "X"), ("never", "N"))
        let baseline = Baseline().grown(by: first, rules: nil, reason: "old code")
        #expect(
            baseline.text == """
                {
                  "schema": "axiom-verify/baseline",
                  "schemaVersion": 1,
                  "entries": [
                    {"rule":"a","identity":"X","count":2,"reason":"old code"},
                    {"rule":"a","identity":"Y\\"\\n","reason":"old code"},
                    {"rule":"b","identity":"Z","reason":"old code"}
                  ]
                }

                """
        )
        #expect(try Baseline(bytes: Array(baseline.text.utf8), path: "x") == baseline)
        #expect(try Baseline(bytes: Array(Baseline().text.utf8), path: "x") == Baseline())
    }

    @Test("Findings of the baseline are accepted with their reason; more than its count are not")
    func accepting() {
        let baseline = Baseline().grown(by: verdict(("a", "X"), ("b", "Z")), rules: nil, reason: "why")
        let judged = baseline.judge(verdict(("a", "X"), ("a", "X"), ("b", "Z")), known: Self.known)
        #expect(judged.findings.count == 1 && judged.accepted.count == 2 && judged.staleEntries.isEmpty)
        #expect(judged.accepted.allSatisfy { $0.reason == "why" && $0.source == .baseline })
        #expect(judged.exitCode == 1)
    }

    @Test("An entry that no finding needs fails, and shrinking removes it")
    func stale() throws {
        let baseline = Baseline().grown(by: verdict(("a", "X"), ("a", "X"), ("b", "Z")), rules: nil, reason: "why")
        let now = verdict(("a", "X"))
        let judged = baseline.judge(now, known: Self.known)
        #expect(judged.staleEntries.map(\.identity) == ["X", "Z"])
        #expect(judged.exitCode == 4)
        let shrunk = baseline.shrunk(to: now, known: Self.known)
        #expect(shrunk.entries.map(\.identity) == ["X"])
        #expect(shrunk.judge(now, known: Self.known).exitCode == 0)
    }

    @Test("Entries of rules that do not run stay; entries of rules that do not exist are stale")
    func otherRules() {
        let baseline = Baseline(entries: [
            .init(rule: "a", identity: "X", reason: "r"), .init(rule: "gone", identity: "Y", reason: "r"),
        ])
        var now = verdict()
        now.rules.removeAll { $0.id == "a" }
        #expect(baseline.judge(now, known: Self.known).staleEntries.map(\.rule) == ["gone"])
        #expect(baseline.shrunk(to: now, known: Self.known).entries.map(\.rule) == ["a"])
    }

    @Test("A baseline neither takes nor accepts findings of rules whose findings do not run")
    func never() {
        let baseline = Baseline(entries: [.init(rule: "never", identity: "N", reason: "r")])
        let judged = baseline.judge(verdict(("never", "N")), known: Self.known)
        #expect(judged.findings.count == 1 && judged.staleEntries.count == 1)
        #expect(Baseline().grown(by: verdict(("never", "N")), rules: nil, reason: "r").entries.isEmpty)
        #expect(baseline.shrunk(to: verdict(("never", "N")), known: Self.known).entries.isEmpty)
    }

    @Test("With rules named, only their findings are added")
    func growth() {
        let grown = Baseline().grown(by: verdict(("a", "X"), ("b", "Z")), rules: ["b"], reason: "r")
        #expect(grown.entries.map(\.rule) == ["b"])
    }

    @Test(
        "A file that is no baseline gets an error with its path and the remedy",
        arguments: [
            "", "[]", #"{"schema":"axiom-verify/baseline","schemaVersion":1}"#,
            #"{"schema":"other","schemaVersion":1,"entries":[]}"#,
            #"{"schema":"axiom-verify/baseline","schemaVersion":2,"entries":[]}"#,
            #"{"schema":"axiom-verify/baseline","schemaVersion":1,"entries":[{"rule":"a","reason":"r"}]}"#,
            #"{"schema":"axiom-verify/baseline","schemaVersion":1,"entries":[{"rule":"a","identity":"x","count":0,"reason":"r"}]}"#,
            #"{"schema":"axiom-verify/baseline","schemaVersion":1,"entries":[{"rule":"a","identity":"x","reason":"r"},"#
                + #"{"rule":"a","identity":"x","reason":"r"}]}"#,
        ]
    )
    func wrong(text: String) {
        let error = #expect(throws: VerifyError.self) { try Baseline(bytes: Array(text.utf8), path: "my.json") }
        #expect(error?.message.hasPrefix("my.json") == true)
        #expect(error?.message.contains(/Correct|use|remove/) == true)
    }
}
