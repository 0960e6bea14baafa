// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomTestSupport
import Testing

@Suite("Corpus: mutations that keep the meaning of the demo", .timeLimit(.minutes(10)))
struct PreservingMutationTests {
    @Test("1,000 renames, moves, aliases, other orders, comments and spaces lead to no finding")
    func none() async {
        let seed = TestSeed.drawn()
        let corpus = PreservingCorpus(1_000, of: .demo, seed: seed)
        for (name, count) in corpus.counts.sorted(by: { $0.key < $1.key }) { print("\(count) × \(name)") }
        #expect(corpus.counts.values.reduce(0, +) == 1_000)
        #expect(Set(corpus.counts.keys) == Set(PreservingMutation.all.map(\.name)))
        let complaints = await withTaskGroup(of: [String].self) { group in
            for batch in corpus.batches {
                group.addTask { PreservingCorpus.complaints(about: batch, of: .demo) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(complaints == [], "\(complaints.joined(separator: "\n"))")
    }
}
#endif
