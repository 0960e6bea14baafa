// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
internal import AxiomBase
internal import CAxiomProfiler
internal import Glibc

/// Samples the allocations of a program that links AxiomAllocationSampler. One runs at a time in a process.
final class HeapSampler: @unchecked Sendable {
    // Unchecked because of the pointer: its functions may be called on any thread.

    static var isLinked: Bool { axiom_heap_if_linked() != nil }

    private let heap: UnsafePointer<axiom_heap>?
    private let consumer = Lock<(@Sendable (RawSample) -> Void)?>(nil)
    private let lostBefore: Int64

    /// - Parameter heap: The functions of CAxiomHeap; nil in a program that does not link it.
    init(_ heap: UnsafePointer<axiom_heap>? = axiom_heap_if_linked()) {
        self.heap = heap
        lostBefore = heap?.pointee.counts().lost ?? 0
    }

    /// How many samples ``drain()`` has left out, and how many blocks ``live()`` leaves out, some of which may be freed.
    var lost: (samples: Int, blocks: Int) {
        guard let counts = heap?.pointee.counts() else { return (0, 0) }
        return (Int(counts.lost - lostBefore), Int(counts.dropped))
    }

    /// Starts the sampling.
    ///
    /// - Parameters:
    ///   - interval: The mean bytes between two samples, above 0.
    ///   - consumer: Called by ``drain()`` for each sample. Its amount is the bytes that it stands for.
    func start(interval: Int, consumer: @escaping @Sendable (RawSample) -> Void) throws(ProfilerError) {
        guard let heap else { throw .unsupported("the program does not link AxiomAllocationSampler") }
        switch heap.pointee.start(UInt64(interval), 0) {
        case 0: self.consumer.withLock { $0 = consumer }
        case EBUSY: throw .unsupported("the allocations of the process are sampled already")
        default: throw .unsupported("the system has no memory for sampled allocations")
        }
    }

    /// Ends what ``start(interval:consumer:)`` of this sampler began. ``live()`` still follows the blocks that were sampled.
    func stop() {
        if consumer.withLock({ $0.take() }) != nil { heap?.pointee.stop() }
    }

    /// Delivers the samples since the last call to the consumer.
    func drain() {
        guard let consumer = consumer.withLock({ $0 }) else { return }
        read(heap?.pointee.drain).forEach(consumer)
    }

    /// The sampled blocks that are not freed.
    func live() -> [RawSample] { read(heap?.pointee.live) }

    private func read(_ deliver: ((UnsafeMutableRawPointer?, axiom_take_sample) -> Void)?) -> [RawSample] {
        var samples: [RawSample] = []
        withUnsafeMutablePointer(to: &samples) { pointer in
            deliver?(pointer) { context, sample in
                guard let sample else { return }
                context?.assumingMemoryBound(to: [RawSample].self).pointee.append(RawSample(sample))
            }
        }
        return samples
    }
}
#endif
