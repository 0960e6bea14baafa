// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import AxiomBase
import CAxiomProfiler
import Foundation
import Glibc
import Synchronization

/// Threads that allocate, and free what others allocated.
final class HeapThreads: Sendable {
    private let heap: HeapFunctions
    private let seed: UInt64
    private let blocks = Lock<[UInt]>(Array(repeating: 0, count: 1_024))
    private let isEnded = Atomic(false)

    init(heap: UnsafePointer<axiom_heap>, seed: UInt64) {
        self.heap = HeapFunctions(heap)
        self.seed = seed
    }

    /// Reads meanwhile what lives. At the end, all that was sampled is drained or lost, and all that was not freed lives.
    func run() {
        _ = heap.table.start(4_096, seed)
        let threads = start(8, rounds: 50_000)
        var drained = HeapSums()
        var read = HeapSums()
        while threads.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
            drained.read(heap.table.drain)
            read.read(heap.table.live)
        }
        startAndEnd(200)
        freeAll()
        heap.table.stop()
        drained.read(heap.table.drain)
        var live = HeapSums()
        live.read(heap.table.live)
        let counts = heap.table.counts()
        print("sampled \(counts.sampled)\nfreed \(counts.freed)\nlost \(counts.lost)\ndropped \(counts.dropped)")
        print("drained \(drained.samples)\nlive \(live.samples)\nread \(read.samples)")
        print("wrong \(drained.wrong + read.wrong + live.wrong)")
    }

    /// Each child starts its own sampling. Prints how many failed.
    func runForks() {
        _ = heap.table.start(256, seed)
        let threads = start(4, rounds: .max)
        var failed = 0
        for _ in 0..<50 {
            let child = forkProcess()
            if child == 0 { _exit(samplesAgain() ? 0 : 1) }
            var status: Int32 = 0
            failed += child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1
        }
        isEnded.store(true, ordering: .relaxed)
        threads.wait()
        heap.table.stop()
        print("failed \(failed)")
    }

    /// Runs in the child of a fork, which has one thread.
    private func samplesAgain() -> Bool {
        let before = heap.table.counts()
        guard heap.table.start(1, 1) == 0 else { return false }
        var drained = HeapSums()
        drained.read(heap.table.drain)
        let first = malloc(1_000)
        let second = malloc(1_000)
        heap.table.stop()
        var live = HeapSums()
        drained = HeapSums()
        drained.read(heap.table.drain)
        live.read(heap.table.live)
        free(first)
        free(second)
        let after = heap.table.counts()
        return drained.samples >= 2 && after.sampled >= before.sampled + 2 && after.freed - before.freed >= 2
            && live.wrong == 0
    }

    private func start(_ count: Int, rounds: Int) -> DispatchGroup {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            Thread.detachNewThread {
                self.exchange(SeededGenerator(seed: self.seed &+ UInt64(number)), rounds)
                group.leave()
            }
        }
        return group
    }

    /// Puts a block into a place, and frees the block that was there.
    private func exchange(_ generator: SeededGenerator, _ rounds: Int) {
        var generator = generator
        var round = 0
        while round < rounds && !isEnded.load(ordering: .relaxed) {
            round += 1
            let place = Int.random(in: 0..<1_024, using: &generator)
            let fresh = malloc(Int.random(in: 1...2_000, using: &generator))
            var old = blocks.withLock { blocks in
                defer { blocks[place] = UInt(bitPattern: fresh) }
                return UnsafeMutableRawPointer(bitPattern: blocks[place])
            }
            if round % 3 == 0 { old = realloc(old, Int.random(in: 1...5_000, using: &generator)) }
            free(old)
        }
    }

    /// Threads that end leave blocks.
    private func startAndEnd(_ count: Int) {
        for _ in 0..<count { start(1, rounds: 20).wait() }
    }

    private func freeAll() {
        for place in 0..<1_024 {
            free(UnsafeMutableRawPointer(bitPattern: blocks.withLock { $0[place] }))
        }
    }
}

/// The functions of CAxiomHeap, for all threads.
struct HeapFunctions: @unchecked Sendable {
    // Unchecked because of the pointers to functions, which are constants.
    let table: axiom_heap

    init(_ heap: UnsafePointer<axiom_heap>) { table = heap.pointee }
}

/// fork(2), which Swift does not import.
@_silgen_name("fork")
private func forkProcess() -> pid_t
#endif
