// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("Corpus: seeded violations of the demo", .timeLimit(.minutes(10)))
struct SeededViolationTests {
    /// How many mutants each way to break a rule gets.
    private static let rounds = max(1, Int((TestScale.value * 10).rounded()))
    private static let rules = Set(Violation.all.map(\.rule)).sorted { $0.rawValue < $1.rawValue }

    @Test("The demo has no findings")
    func demo() {
        let verdict = Program.demo.judge()
        #expect(verdict.findings.map { "\($0.location.path):\($0.location.start.line) \($0.message)" } == [])
        #expect(verdict.unreadableFiles.isEmpty)
        #expect(verdict.fileCount > 25)
    }

    @Test("At least 95 % of the violations that a mutator plants are found, by their rule and in their line")
    func found() async throws {
        let seed = TestSeed.drawn()
        let results = await withTaskGroup(of: (RuleID, SeededCorpus.Share).self) { group in
            for rule in Self.rules {
                group.addTask { (rule, SeededCorpus.share(of: rule, seed: seed, rounds: Self.rounds)) }
            }
            return await group.reduce(into: [RuleID: SeededCorpus.Share]()) { $0[$1.0] = $1.1 }
        }
        for rule in Self.rules { print(results[rule]?.line(of: rule) ?? "") }
        let all = results.values.reduce(into: SeededCorpus.Share()) { $0.add($1) }
        print(all.line(of: "all rules"))
        for missed in all.missed.sorted() { print("missed: \(missed)") }
        #expect(Set(Self.rules) == Set(RuleCatalog.all.map(\.id)), "A rule has no violation in the corpus.")
        #expect(all.count >= Self.rounds * (Violation.all.count - 5))
        #expect(Double(all.found) >= 0.95 * Double(all.count))
        for (rule, share) in results {
            #expect(Double(share.found) >= 0.5 * Double(share.count), "\(share.line(of: rule))")
            #expect(share.count > 0, "\(rule.rawValue) has no mutant.")
        }
    }
}
