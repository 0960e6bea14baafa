// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

@Suite("Ring")
struct RingTests {
    @Test("It holds what an array with the same history holds", arguments: 0..<50 as Range<UInt64>)
    func behavesLikeAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var ring = Ring<Int>()
        var array: [Int] = []
        for step in 0..<500 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                ring.append(step)
                array.append(step)
            case 5..<8:
                #expect(ring.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
            case 8:
                #expect(ring.popLast() == array.popLast())
            default:
                guard step % 7 == 0 else { continue }
                ring.removeAll()
                array.removeAll()
            }
            #expect(ring.count == array.count)
            #expect(ring.isEmpty == array.isEmpty)
        }
    }

    @Test("A taken element is released at once")
    func releases() {
        final class Token {}
        var ring = Ring<Token>()
        weak var first: Token?
        weak var last: Token?
        do {
            let tokens = [Token(), Token(), Token()]
            for token in tokens { ring.append(token) }
            first = tokens[0]
            last = tokens[2]
        }
        _ = ring.popFirst()
        _ = ring.popLast()
        #expect(first == nil)
        #expect(last == nil)
        #expect(ring.count == 1)
    }
}
