// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Testing

@Suite("Corpus: fixes of seeded violations", .timeLimit(.minutes(10)))
struct FixedMutantTests {
    static let fixable: Set<RuleID> = [
        "action-reference", "case-names-mismatch", "client-swallows-error", "context-swallows-error", "final-missing",
        "identity-not-stored", "main-actor-missing", "observe-captures-self", "state-manual-equality",
        "state-reference", "stream-not-finished", "suppression-unused", "suppression-without-reason",
    ]

    @Test("A fix mends its finding, leaves nothing to a second run, and brings back what the mutator replaced")
    func fixed() throws {
        let seed = TestSeed.drawn()
        var (mended, restored) = ([RuleID: Int](), [RuleID: Int]())
        for violation in Violation.all where Self.fixable.contains(violation.rule) {
            guard let mutant = violation.mutant(of: .demo, seed: seed), try Self.hasFix(mutant) else { continue }
            let outcome = try Self.fix(mutant.texts)
            #expect(outcome.refusals.isEmpty && outcome.isStable, "\(mutant.name), seed \(seed)")
            #expect(!outcome.verdict.findings.contains { $0.rule == mutant.rule }, "\(mutant.name), seed \(seed)")
            #expect(outcome.verdict.unreadableFiles.isEmpty, "\(mutant.name), seed \(seed)")
            var texts = mutant.texts
            for change in outcome.changes { texts[change.path] = String(decoding: change.new, as: UTF8.self) }
            #expect(try Self.fix(texts).changes.isEmpty, "\(mutant.name), seed \(seed)")
            mended[mutant.rule, default: 0] += 1
            if texts.allSatisfy({ Program.demo.texts[$0.key] == $0.value }) { restored[mutant.rule, default: 0] += 1 }
        }
        for rule in Self.fixable.sorted(by: { $0.rawValue < $1.rawValue }) {
            print("\(rule.rawValue): \(mended[rule, default: 0]) mended, \(restored[rule, default: 0]) as before")
            #expect(mended[rule, default: 0] > 0, "\(rule.rawValue)")
        }
        for rule: RuleID in ["final-missing", "identity-not-stored", "case-names-mismatch", "suppression-unused"] {
            #expect(restored[rule, default: 0] > 0, "\(rule.rawValue)")
        }
    }

    static func hasFix(_ mutant: Mutant) throws -> Bool {
        Program.demo.replacing(mutant.texts).judge().findings.contains { $0.rule == mutant.rule && $0.fix != nil }
    }

    /// Applies the fixes to the changed files; the others have nothing to mend.
    static func fix(_ texts: [String: String]) throws -> FixEngine.Outcome {
        let engine = FixEngine(
            includesReview: true,
            judge: { files in
                let changed = files.map { ($0.path, String(decoding: $0.bytes, as: UTF8.self)) }
                return Program.demo.replacing(Dictionary(uniqueKeysWithValues: changed)).judge()
            },
            parses: FixEngineTests.parses
        )
        return try engine.run(texts.map { SourceText(path: $0.key, bytes: Array($0.value.utf8)) })
    }
}
