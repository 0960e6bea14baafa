// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import axiom_demo

@Suite("The book of faults")
struct FaultBookTests {
    @Test("Whatever comes first, the upstream's word or the application's, each fault has one fate", arguments: 0..<20)
    func oneFate(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let book = FaultBook()
        let fates: [FaultBook.Fate] = [.answered, .recovered, .boundary, .cancelled]
        var expected: [FaultBook.Fate: Int] = [:]
        for _ in 0..<500 {
            let (request, fate) = (book.newRequest(), fates.randomElement(using: &generator) ?? .answered)
            let isFaulty = Bool.random(using: &generator)
            // Only who leaves does so before the upstream has spoken.
            if fate == .cancelled, Bool.random(using: &generator) {
                book.settle(request, fate)
                if isFaulty { _ = book.serve(request) }
            } else {
                if isFaulty { _ = book.serve(request) }
                book.settle(request, fate)
            }
            if isFaulty { expected[fate, default: 0] += 1 }
        }
        let counts = book.counts
        #expect(counts.served == expected.values.reduce(0, +))
        #expect(counts.recovered == expected[.answered, default: 0] + expected[.recovered, default: 0])
        #expect(counts.boundary == expected[.boundary, default: 0])
        #expect(counts.cancelled == expected[.cancelled, default: 0])
        #expect(counts.open == 0)
    }

    @Test("A request that has not ended is open, and only the first word on it counts")
    func open() {
        let book = FaultBook()
        let request = book.newRequest()
        #expect(book.serve(request))
        #expect(book.counts.open == 1)
        book.settle(request, .recovered)
        book.settle(request, .boundary)
        #expect(book.counts == FaultBook.Counts(served: 1, recovered: 1, boundary: 0, cancelled: 0, open: 0))
    }

    @Test("A closed book lets no more faults be served")
    func closed() {
        let book = FaultBook()
        book.close()
        #expect(!book.serve(book.newRequest()))
        #expect(book.counts.served == 0)
    }
}
