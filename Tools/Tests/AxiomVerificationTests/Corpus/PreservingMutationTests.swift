// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@Suite("Corpus: mutations that keep the meaning of the demo", .timeLimit(.minutes(10)))
struct PreservingMutationTests {
    /// 1,000 at the full scale.
    private static let count = Int(1_000 * max(0.1, min(1, TestScale.value)))

    @Test("Renames, moves, aliases, other orders, comments and spaces lead to no finding")
    func none() async {
        let seed = TestSeed.drawn()
        let corpus = PreservingCorpus(Self.count, of: .demo, seed: seed)
        for (name, count) in corpus.counts.sorted(by: { $0.key < $1.key }) { print("\(count) × \(name)") }
        #expect(corpus.counts.values.reduce(0, +) == Self.count)
        #expect(Set(corpus.counts.keys) == Set(PreservingMutation.all.map(\.name)))
        let complaints = await withTaskGroup(of: [String].self) { group in
            for batch in corpus.batches {
                group.addTask { PreservingCorpus.complaints(about: batch, of: .demo) }
            }
            var complaints: [String] = []
            for await some in group { complaints += some }
            return complaints
        }
        #expect(complaints == [], "\(complaints.joined(separator: "\n"))")
    }
}
