// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

extension BenchmarkRun {
    /// Adds what nothing can be faster than: a relaxed atomic addition and a reading of the clock.
    public mutating func addFloors() {
        add("floor/atomic.add") { iterations in
            let total = Total()
            for _ in 0..<iterations { total.add() }
            keep(total.value)
        }
        add("floor/clock.read") { iterations in
            for _ in 0..<iterations { keep(TimeSource.live.now) }
        }
    }
}

private final class Total: Sendable {
    private let total = Atomic<UInt64>(0)

    var value: UInt64 {
        total.load(ordering: .relaxed)
    }

    @inline(__always)
    func add() {
        total.wrappingAdd(1, ordering: .relaxed)
    }
}

/// Keeps the compiler from removing the computation of `value`.
@inline(never)
public func keep<T>(_ value: T) {}
