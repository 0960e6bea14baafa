// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import Foundation
import Synchronization

/// Work for the calling thread and another one at the same time. The other one starts when the pair is made, which is
/// not to be measured, and spins until ``run()``: so both begin together, and no run pays for a thread that wakes up.
final class ThreadPair: Sendable {
    private let isThere = Atomic<Bool>(false)
    private let isReleased = Atomic<Bool>(false)
    private let isDone = Atomic<Bool>(false)
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
        Thread.detachNewThread { [self] in
            isThere.store(true, ordering: .releasing)
            while !isReleased.load(ordering: .acquiring) {}
            work()
            isDone.store(true, ordering: .releasing)
        }
        while !isThere.load(ordering: .acquiring) { sched_yield() }
    }

    /// Returns when both have done it; once for each pair.
    func run() {
        isReleased.store(true, ordering: .releasing)
        work()
        while !isDone.load(ordering: .acquiring) { sched_yield() }
    }
}

extension BenchmarkSuite {
    /// Adds what an operation takes when two threads do it at the same time: the first decile of many rounds, because
    /// on a busy machine the two often share a processor, and then neither hinders the other. It is information.
    ///
    /// - Parameters:
    ///   - shared: Makes what they work on, once in each process.
    ///   - work: Runs the operation `iterations` times.
    mutating func addPair<Shared: Sendable>(
        _ id: String,
        goal: BenchmarkGoal? = nil,
        shared: @autoclosure @escaping @Sendable () throws -> Shared,
        _ work: @escaping @Sendable (_ shared: Shared, _ iterations: Int) -> Void
    ) {
        var options = BenchmarkOptions.concurrent
        options.goal = goal
        addValue(id, unit: "ns", kind: .information, options: options) {
            let (shared, rounds, iterations) = (try shared(), Repetitions.count(201), 10_000)
            let times = (0..<rounds).map { _ in
                let pair = ThreadPair { work(shared, iterations) }
                let start = TimeSource.live.now
                pair.run()
                return Double(TimeSource.live.now.nanoseconds(since: start)) / Double(iterations)
            }
            return times.sorted()[rounds / 10]
        }
    }
}
