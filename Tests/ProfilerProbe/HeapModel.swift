// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import CAxiomProfiler
import Glibc

/// Random allocations, resizes and frees, of which each that is made while sampling runs is sampled, beside a model.
struct HeapModel {
    private let heap: UnsafePointer<axiom_heap>
    private var generator: SeededGenerator
    private var blocks = [Block?](repeating: nil, count: 1_000)
    private var isSampling = false

    private struct Block {
        let memory: UnsafeMutableRawPointer?
        let bytes: Int
        let isSampled: Bool
    }

    /// Sizes that nothing else in the process has.
    private static let sizes = 20_001...40_000

    init(heap: UnsafePointer<axiom_heap>, seed: UInt64) {
        (self.heap, generator) = (heap, SeededGenerator(seed: seed))
    }

    /// Prints how often the living blocks were compared, and how often they differed from the model.
    mutating func run() {
        var (compared, different) = (0, 0)
        for step in 0..<5_000 {
            if Int.random(in: 0..<100, using: &generator) == 0 { toggle() }
            change(Int.random(in: 0..<blocks.count, using: &generator))
            guard step % 25 == 0 else { continue }
            compared += 1
            different += agrees() ? 0 : 1
        }
        for index in blocks.indices { free(blocks[index]?.memory) }
        blocks = [nil]
        different += agrees() ? 0 : 1
        print("compared \(compared)\ndifferent \(different)\ndropped \(heap.pointee.counts().dropped)")
    }

    private mutating func toggle() {
        isSampling.toggle()
        if isSampling { _ = heap.pointee.start(1, generator.next()) } else { heap.pointee.stop() }
    }

    private mutating func change(_ index: Int) {
        let bytes = Int.random(in: Self.sizes, using: &generator)
        let old = blocks[index]?.memory
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            free(old)
            blocks[index] = nil
        case 1:
            free(old)
            var memory: UnsafeMutableRawPointer?
            _ = posix_memalign(&memory, 64, bytes)
            blocks[index] = Block(memory: memory, bytes: bytes, isSampled: isSampling)
        case 2:
            free(old)
            blocks[index] = Block(memory: calloc(1, bytes), bytes: bytes, isSampled: isSampling)
        default:
            blocks[index] = Block(memory: realloc(old, bytes), bytes: bytes, isSampled: isSampling)
        }
    }

    private func agrees() -> Bool {
        var read = (count: 0, bytes: 0)
        heap.pointee.live(&read) { context, sample in
            guard let sample, let read = context?.assumingMemoryBound(to: (count: Int, bytes: Int).self) else { return }
            guard HeapModel.sizes.contains(Int(sample.pointee.amount)) else { return }
            read.pointee.count += 1
            read.pointee.bytes += Int(sample.pointee.amount)
        }
        let expected = blocks.compactMap { $0 }.filter(\.isSampled)
        return read == (expected.count, expected.reduce(0) { $0 + $1.bytes })
    }
}
#endif
