// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

/// A Swift compiler reads the demo after the fixes of seeded violations.
@Suite(
    "Corpus: fixes that compile",
    .timeLimit(.minutes(30)),
    .enabled(if: ExternalTool.swiftc.mayRun, "\(ExternalTool.swiftc.installation)")
)
struct FixedDemoTests {
    /// Mutants of different files, which one run of the compiler reads.
    private struct Batch {
        var mutants: [(name: String, texts: [String: String], fixed: [String: String])] = []

        var fixed: [String: String] { mutants.reduce(into: [:]) { $0.merge($1.fixed) { $1 } } }
    }

    @Test("The demo compiles")
    func demo() async throws {
        #expect(try await errors(in: .demo) == [])
    }

    @Test("After the fixes of a violation, the demo has no error that it did not have before")
    func fixed() async throws {
        let seed = TestSeed.drawn()
        let batches = try Self.batches(seed)
        print("\(batches.map(\.mutants.count).reduce(0, +)) mutants with fixes in \(batches.count) programs")
        #expect(!batches.isEmpty)
        for batch in batches {
            guard try await !errors(in: Program.demo.replacing(batch.fixed)).isEmpty else { continue }
            // Some mutants do not compile, such as a call of an undeclared function. Fixes do not mend that. One by
            // one, because an error of one mutant can hide those of another.
            for mutant in batch.mutants {
                let after = try await errors(in: Program.demo.replacing(mutant.fixed))
                let before = after.isEmpty ? [] : try await errors(in: Program.demo.replacing(mutant.texts))
                #expect(after.subtracting(before) == [], "seed \(seed): \(mutant.name)")
            }
        }
    }

    /// At the full scale all violations that have a fix, otherwise one of each rule.
    private static func batches(_ seed: UInt64) throws -> [Batch] {
        var generator = SplitMix64(seed: seed)
        var batches: [Batch] = []
        var done: Set<RuleID> = []
        for violation in Violation.all.shuffled(using: &generator)
        where FixedMutantTests.fixable.contains(violation.rule) {
            guard TestScale.value >= 1 || !done.contains(violation.rule),
                let mutant = violation.mutant(of: .demo, seed: seed), try FixedMutantTests.hasFix(mutant)
            else { continue }
            var fixed = mutant.texts
            for change in try FixedMutantTests.fix(fixed).changes {
                fixed[change.path] = String(decoding: change.new, as: UTF8.self)
            }
            done.insert(mutant.rule)
            let place = batches.firstIndex { batch in fixed.keys.allSatisfy { batch.fixed[$0] == nil } }
            if place == nil { batches.append(Batch()) }
            let index = place ?? batches.count - 1
            batches[index].mutants.append(("\(mutant.rule.rawValue): \(mutant.name)", mutant.texts, fixed))
        }
        return batches
    }

    /// The errors of the compiler, with their files and without their lines.
    private func errors(in program: Program) async throws -> Set<String> {
        let folder = try SampleFolder(program.texts)
        let files = program.paths.map(folder.path)
        let result = try await Compiler().check(files, module: "axiom_demo", version: "6")
        guard result.status != 0 else { return [] }
        let lines = (result.output + result.errors).matches(of: #/axiom-demo/([^:\n]+):\d+:\d+: error: (.*)/#)
        try #require(!lines.isEmpty, "\(result.output)\(result.errors)")
        return Set(lines.map { "\($0.output.1): \($0.output.2)" })
    }
}
