// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomBase
import CAxiomProfiler
import Glibc
import Testing

@testable import AxiomProfiler

/// The sampler with other functions than those of CAxiomHeap, which not every program of tests has.
@Suite("The sampler of allocations")
struct HeapSamplerTests {
    @Test("Samples go to the consumer, and living blocks to those that read them")
    func samples() throws {
        var functions = Self.functions
        try withUnsafeMutablePointer(to: &functions) { pointer in
            let sampler = HeapSampler(pointer)
            let taken = Lock<[RawSample]>([])
            sampler.drain()
            try sampler.start(interval: 4_096) { sample in taken.withLock { $0.append(sample) } }
            sampler.drain()
            #expect(taken.withLock { $0.map(\.amount) } == [100, 200])
            let sample = try #require(taken.withLock { $0.last })
            #expect(sample.frames == [1, 2, 3])
            #expect(sample.spans == [SpanContext(trace: 7, span: 8, record: 9, subject: 10)])
            #expect(sampler.live().map(\.amount) == [4_096])
            // Those before it was made are not its own.
            #expect(sampler.lost == (0, 4))
            pointer.pointee.counts = { axiom_heap_counts(sampled: 9, freed: 2, lost: 10, dropped: 6) }
            #expect(sampler.lost == (7, 6))
            sampler.stop()
            sampler.stop()
            sampler.drain()
            #expect(taken.withLock { $0.count } == 2)
        }
    }

    @Test(
        "A start that fails says why",
        arguments: [(1, "already"), (2, "no memory")]
    )
    func failures(interval: Int, message: String) {
        var functions = Self.functions
        functions.start = { interval, _ in interval == 1 ? EBUSY : ENOMEM }
        withUnsafePointer(to: &functions) { pointer in
            let error = #expect(throws: ProfilerError.self) {
                try HeapSampler(pointer).start(interval: interval) { _ in }
            }
            #expect(error?.message.contains(message) == true, "\(String(describing: error))")
        }
    }

    @Test("A program that does not link the hook has no samples")
    func notLinked() {
        let sampler = HeapSampler(nil)
        let error = #expect(throws: ProfilerError.self) { try sampler.start(interval: 4_096) { _ in } }
        #expect(error?.message.contains("AxiomAllocationSampler") == true)
        sampler.stop()
        #expect(sampler.live().isEmpty && sampler.lost == (0, 0))
        #expect(HeapSampler.isLinked == (axiom_heap_if_linked() != nil))
    }

    private static var functions: axiom_heap {
        axiom_heap(
            start: { interval, seed in interval == 4_096 && seed == 0 ? 0 : EINVAL },
            stop: {},
            drain: { context, take in
                for number in 1...2 { deliver(UInt64(number) * 100, context, take) }
            },
            live: { context, take in deliver(4_096, context, take) },
            counts: { axiom_heap_counts(sampled: 1, freed: 2, lost: 3, dropped: 4) }
        )
    }
}

private func deliver(_ amount: UInt64, _ context: UnsafeMutableRawPointer?, _ take: axiom_take_sample) {
    var sample = axiom_sample()
    (sample.amount, sample.frame_count, sample.span_count) = (amount, 3, 1)
    (sample.frames.0, sample.frames.1, sample.frames.2) = (1, 2, 3)
    sample.spans.0 = axiom_span(trace: 7, span: 8, record: 9, subject: 10)
    take(context, &sample)
}
#endif
