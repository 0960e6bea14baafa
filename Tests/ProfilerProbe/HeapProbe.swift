// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomBase
import AxiomProfiler
import CAxiomHeap
import CAxiomProfiler
import Foundation
import Glibc

/// What the sampler of allocations reads of this process: lines of a name and a number.
///
///     profiler-probe heap hog SEED        allocates 200 MB, frees half of it, and then all
///     profiler-probe heap weights SEED    simulates allocations: how many standard deviations their estimates are off
///     profiler-probe heap model SEED      compares what lives with a model, while sampling starts and ends
///     profiler-probe heap threads SEED    8 threads free what others allocate
///     profiler-probe heap forks SEED      forks while threads allocate
///     profiler-probe heap full SEED       samples more blocks than the table holds, and a deep stack
///     profiler-probe heap lost            what a profile says of samples and blocks that were lost
///     profiler-probe heap calls           what the functions return, as those of glibc do
///     profiler-probe heap cost            nanoseconds of malloc and free: without the hook, off, and on
enum HeapProbe {
    static func run(_ arguments: [String]) async {
        guard let heap = axiom_heap_if_linked() else { return print("linked 0") }
        let seed = arguments.count > 1 ? UInt64(arguments[1]) ?? 1 : 1
        switch arguments.first {
        case "hog": await HeapHog(heap: heap, seed: seed).run()
        case "weights": HeapSimulation(seed: seed).run()
        case "model":
            var model = HeapModel(heap: heap, seed: seed)
            model.run()
        case "threads": HeapThreads(heap: heap, seed: seed).run()
        case "forks": HeapThreads(heap: heap, seed: seed).runForks()
        case "full": HeapLimits(heap: heap).run()
        case "lost": await HeapLimits(heap: heap).runProfiler()
        case "calls": HeapCalls(heap: heap).run()
        case "cost": HeapCost(heap: heap).run()
        default: print("unknown \(arguments)")
        }
    }
}

/// Sums of samples that are read without an allocation, which would change them.
struct HeapSums {
    var samples = 0
    /// Samples whose fields have impossible values, and those that lack outer frames.
    var wrong = 0
    var cut = 0
    /// The code of a function. The others are of samples that have it among their innermost frames.
    var code: ClosedRange<UInt> = 0...0
    var inCode = 0
    var bytes = 0
    /// Those with the span 77 alone.
    var labelled = 0

    mutating func read(_ deliver: (UnsafeMutableRawPointer?, axiom_take_sample) -> Void) {
        deliver(&self) { context, sample in
            guard let sums = context?.assumingMemoryBound(to: HeapSums.self), let sample else { return }
            sums.pointee.add(sample.pointee)
        }
    }

    private mutating func add(_ sample: axiom_sample) {
        samples += 1
        wrong +=
            (1...48).contains(sample.frame_count) && sample.amount > 0 && sample.thread > 0 && sample.time > 0 ? 0 : 1
        cut += Int(sample.flags) & axiom_sample_is_cut
        let frames = sample.frames
        let isIn =
            code.contains(frames.0) || sample.frame_count > 1 && code.contains(frames.1)
            || sample.frame_count > 2 && code.contains(frames.2) || sample.frame_count > 3 && code.contains(frames.3)
        guard isIn else { return }
        inCode += 1
        bytes += Int(sample.amount)
        labelled += sample.span_count == 1 && sample.spans.0.subject == 77 ? 1 : 0
    }
}
#endif
