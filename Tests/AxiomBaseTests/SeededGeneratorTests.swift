// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@Suite("The seeded generator")
struct SeededGeneratorTests {
    @Test("It returns the published numbers and draws indices uniformly")
    func generator() {
        var generator = SeededGenerator(seed: 1_234_567)
        // The reference program of Vigna, prng.di.unimi.it/splitmix64.c, with this seed.
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
        var counts = [Int](repeating: 0, count: 7)
        for _ in 0..<70_000 { counts[generator.index(below: 7)] += 1 }
        #expect(counts.allSatisfy { abs($0 - 10_000) < 500 })
        #expect(generator.index(below: 0) == 0)
    }
}
