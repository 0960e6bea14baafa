// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomVerification
import Testing

@Suite("Rules: twins that differ in one line")
struct RuleTwinTests {
    @Test("The good twin has no finding")
    func good() {
        let verdict = judge(TwinProgram.text)
        #expect(verdict.findings.map(\.message) == [])
        #expect(verdict.unreadableFiles.isEmpty)
    }

    @Test("TL-V1, TL-V2, TL-V3: the bad twin has one finding, at its place, and the fix mends it", arguments: twins)
    func bad(twin: Twin) throws {
        try check(twin)
    }

    @Test("Rules that are off by default run if they are enabled", arguments: offTwins)
    func off(twin: Twin) throws {
        var configuration = VerifierConfiguration()
        configuration.enabled = [twin.rule]
        // The program itself breaks these rules elsewhere, so it is short.
        #expect(try judge(twin.marked().filter { $0 != "⟦" }).findings.isEmpty)
        #expect(judge(twin.program, configuration).findings.isEmpty)
        try check(twin, configuration)
    }

    @Test("Each rule has a bad twin")
    func complete() {
        let covered = Set((Self.twins + Self.offTwins).map(\.rule))
        let family = Set(RuleCatalog.all.map(\.id)).subtracting(graphRules)
        #expect(family.subtracting(covered) == [])
    }

    /// The rules that need the whole project have tests of their own.
    private let graphRules: Set<RuleID> = [
        "capability-cycle", "context-cycle", "registered-not", "registered-twice", "import-direction", "import-unknown",
        "route-duplicate", "route-shadowed", "route-unreachable",
    ]

    static let twins = dependencyTwins + valueTwins + bodyTwins + declarationTwins

    static let offTwins: [Twin] = [
        Twin(
            rule: "capability-is-leaf",
            line: "let limit: Int",
            bad: "let limit: ⟦CapabilityRef<Clock>",
            severity: .warning,
            program: """
                import Axiom
                actor Clock: Capability { nonisolated let identity: ComponentIdentity }
                actor Network: Capability {
                    nonisolated let identity: ComponentIdentity
                    let limit: Int
                }

                """
        ),
        Twin(
            rule: "action-not-indexed",
            line: "static let caseNames = [\"add\"]; var caseIndex: Int { 0 }",
            bad: "",
            mark: "enum ⟦CartAction",
            isFixable: true,
            severity: .warning,
            program: """
                import Axiom
                enum CartAction: Action {
                    case add
                    static let caseNames = ["add"]; var caseIndex: Int { 0 }
                }

                """
        ),
    ]
}
#endif
