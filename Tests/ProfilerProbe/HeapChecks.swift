// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && canImport(Glibc)
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomProfiler
import CAxiomHeap
import CAxiomProfiler
import Glibc

/// Allocations that are only counted: the distances and weights of the hook, without its measurement.
struct HeapSimulation {
    let seed: UInt64
    private let interval: UInt64 = 4_096

    init(seed: UInt64) { self.seed = seed }

    /// Prints for each mix of sizes how many standard deviations the estimate is off, and the same of the mean distance.
    func run() {
        let mixes: [[UInt64]] = [
            [1], [16], [100], [1_000], [4_096], [20_000], [1, 16, 100, 1_000, 4_096, 20_000],
        ]
        for sizes in mixes {
            print("estimate-\(sizes.map(String.init).joined(separator: "-")) \(deviation(sizes))")
        }
        var random = seed
        let count = 100_000
        let sum = (0..<count).reduce(0.0) { sum, _ in sum + Double(axiom_heap_distance(&random, interval)) }
        // A geometric distribution: the mean is below that of the exponential one by a half.
        let mean = 1 / expm1(1 / Double(interval))
        print("distance \((sum / Double(count) - mean) / (Double(interval) / Double(count).squareRoot()))")
    }

    private func deviation(_ sizes: [UInt64]) -> Double {
        var generator = SeededGenerator(seed: seed)
        var random = seed ^ 0x5555
        var distance = axiom_heap_distance(&random, interval)
        var (error, variance, samples) = (0.0, 0.0, 0)
        for _ in 0..<1_000_000 where samples < 5_000 {
            let size = sizes.count == 1 ? sizes[0] : sizes[Int.random(in: 0..<sizes.count, using: &generator)]
            let probability = -expm1(-Double(size) / Double(interval))
            error -= Double(size)
            variance += Double(size) * Double(size) * (1 - probability) / probability
            guard size > distance else {
                distance -= size
                continue
            }
            distance = axiom_heap_distance(&random, interval)
            error += axiom_heap_weight(size, interval)
            samples += 1
        }
        return error / variance.squareRoot()
    }
}

/// What is bounded.
struct HeapLimits {
    let heap: UnsafePointer<axiom_heap>

    func run() {
        let blocks = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(capacity: 6_000)
        print("start \(heap.pointee.start(1, 1))\nagain \(heap.pointee.start(1, 1))\nzero \(heap.pointee.start(0, 1))")
        for index in blocks.indices { blocks[index] = malloc(1_000) }
        let counts = heap.pointee.counts()
        var live = HeapSums()
        live.read(heap.pointee.live)
        var drained = HeapSums()
        drained.read(heap.pointee.drain)
        print("sampled \(counts.sampled)\ndropped \(counts.dropped)\nlost \(counts.lost)\nfreed \(counts.freed)")
        print("live \(live.samples)\ndrained \(drained.samples)")
        for block in blocks { free(block) }
        _ = Self.descend(100)
        var deep = HeapSums()
        deep.read(heap.pointee.drain)
        heap.pointee.stop()
        var rest = HeapSums()
        rest.read(heap.pointee.live)
        let end = heap.pointee.counts()
        print(
            "deep \(deep.samples)\ncut \(deep.cut)\nrest \(rest.samples)\nexpected-rest \(end.sampled - end.freed - end.dropped)"
        )
    }

    /// Fills the tables while a profiler runs, and prints what its profile says.
    func runProfiler() async {
        do {
            let telemetry = try Telemetry()
            var options = Profiler.Options()
            options.allocationInterval = 4_096
            let profiler = try await Profiler.start(telemetry, options)
            let blocks = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(capacity: 10_000)
            for index in blocks.indices { blocks[index] = malloc(16_000) }
            var profile = profiler.profile(ProfileQuery())
            for _ in 0..<1_000 where profile.lostAllocated == 0 {
                try await Task.sleep(for: .milliseconds(10))
                profile = profiler.profile(ProfileQuery())
            }
            let dropped = heap.pointee.counts().dropped
            print("allocated \(profile.lostAllocated)\nlive \(profile.lostLive)\ndropped \(dropped)")
            profiler.stop()
        } catch {
            print("error \(error)")
        }
    }

    @inline(never)
    private static func descend(_ depth: Int) -> Int {
        if depth == 0 { free(malloc(1_000)) }
        return depth == 0 ? 0 : descend(depth - 1) + 1
    }
}

/// What a program may rely on, while each call is sampled.
struct HeapCalls {
    let heap: UnsafePointer<axiom_heap>

    func run() {
        _ = heap.pointee.start(1, 1)
        var memory: UnsafeMutableRawPointer?
        print("bad-alignment \(posix_memalign(&memory, 3, 8) == EINVAL && posix_memalign(&memory, 4, 8) == EINVAL)")
        print("alignment \(posix_memalign(&memory, 4_096, 10) == 0 && UInt(bitPattern: memory) % 4_096 == 0)")
        memory = realloc(memory, 100_000)
        memory?.storeBytes(of: 7, toByteOffset: 99_990, as: UInt8.self)
        memory = realloc(memory, 200_000)
        print("realloc \(memory?.load(fromByteOffset: 99_990, as: UInt8.self) == 7)")
        free(memory)
        let aligned = [aligned_alloc(256, 512), memalign(512, 1_000)]
        print("aligned \(UInt(bitPattern: aligned[0]) % 256 == 0 && UInt(bitPattern: aligned[1]) % 512 == 0)")
        for memory in aligned { free(memory) }
        let zeros = calloc(100, 100)
        print("calloc \((0..<10_000).allSatisfy { zeros?.load(fromByteOffset: $0, as: UInt8.self) == 0 })")
        free(zeros)
        print("overflow \(calloc(.max / 2, 4) == nil && errno == ENOMEM)")
        print("too-large \(malloc(.max - 100) == nil && errno == ENOMEM)")
        errno = 5
        free(malloc(50))
        print("errno \(errno == 5)")
        free(nil)
        let page = valloc(10)
        print("valloc \(UInt(bitPattern: page) % 4_096 == 0)")
        free(page)
        let array = reallocarray(nil, 10, 10)
        print("reallocarray \(array != nil)")
        free(array)
        heap.pointee.stop()
    }
}

/// The cost of the hook.
struct HeapCost {
    let heap: UnsafePointer<axiom_heap>

    func run() {
        for size in [64, 1_024] {
            let plain = measure { __libc_free(__libc_malloc(size)) }
            let off = measure { free(malloc(size)) }
            _ = heap.pointee.start(512 << 10, 1)
            let on = measure { free(malloc(size)) }
            heap.pointee.stop()
            print("plain-\(size) \(plain)\noff-\(size) \(off)\non-\(size) \(on)")
        }
        _ = heap.pointee.start(1, 1)
        print("sample \(measure { free(malloc(64)) })")
        heap.pointee.stop()
    }

    /// The least nanoseconds of a call in 10 rounds.
    private func measure(_ body: () -> Void) -> Double {
        let clock = ContinuousClock()
        return (0..<10).map { _ in
            let time = clock.measure { for _ in 0..<200_000 { body() } }
            return time / .seconds(1) * 1e9 / 200_000
        }.min() ?? 0
    }
}

@_silgen_name("memalign")
private func memalign(_ alignment: Int, _ size: Int) -> UnsafeMutableRawPointer?

@_silgen_name("__libc_malloc")
private func __libc_malloc(_ size: Int) -> UnsafeMutableRawPointer?

@_silgen_name("__libc_free")
private func __libc_free(_ memory: UnsafeMutableRawPointer?)
#endif
