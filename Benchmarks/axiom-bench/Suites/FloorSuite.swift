// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import AxiomMetrics
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What nothing can be faster than: the units in which the other suites state their goals.
enum FloorSuite {
    static let suite = BenchmarkSuite("floor") { suite in
        suite.add("atomic.add", fixture: Total()) { total, iterations in
            for _ in 0..<iterations { total.add() }
            blackHole(total.value)
        }
        // What `opaque` and `blackHole` add to an iteration of the other rows.
        var sink = BenchmarkOptions()
        sink.isBelowNanosecond = true
        suite.add("sink", options: sink) { iterations in
            for index in 0..<iterations { blackHole(opaque(index)) }
        }
        suite.add("clock.read") { iterations in
            for _ in 0..<iterations { blackHole(TimeSource.live.now) }
        }
        var options = BenchmarkOptions()
        options.bytesPerIteration = Double(Block.size)
        suite.add("memcpy", options: options, fixture: Block()) { block, iterations in
            for _ in 0..<iterations { block.copy() }
        }
        ExpositionSuite.addFloors(to: &suite)
        addPairs(to: &suite)
    }

    /// What two threads cost each other when they share nothing: two processors of a virtual machine may be one.
    private static func addPairs(to suite: inout BenchmarkSuite) {
        suite.addPair("atomic.add/2 threads, nothing shared", shared: ()) { _, iterations in
            let total = Total()
            for _ in 0..<iterations { total.add() }
            blackHole(total.value)
        }
        suite.addPair("histogram.observe/2 threads, nothing shared", shared: ()) { _, iterations in
            guard let own = try? Registry().histogram("own", help: "H.") else { return }
            let times = MetricsSuite.times
            for index in 0..<iterations { own.observe(times[index & 1_023]) }
        }
    }
}

/// An atomic word with cache lines of its own around it.
final class Total: Sendable {
    private let before: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let total = Atomic<UInt64>(0)
    private let after: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

    var value: UInt64 {
        total.load(ordering: .relaxed)
    }

    @inline(__always)
    func add() {
        total.wrappingAdd(1, ordering: .relaxed)
    }
}

/// A mebibyte that is copied.
final class Block: @unchecked Sendable {
    // Unchecked because of the pointers: one benchmark body at a time copies.
    static let size = 1 << 20
    private let source = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    private let target = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)

    init() {
        memset(source, 1, Self.size)
        memset(target, 2, Self.size)
    }

    deinit {
        source.deallocate()
        target.deallocate()
    }

    @inline(never)
    func copy() {
        memcpy(target, source, Self.size)
    }
}
