// SPDX-License-Identifier: Apache-2.0

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
    /// Adds work that two threads do at the same time. Both must run at once, so the process is not put on one
    /// processor, and on a busy machine the times say little: they are information.
    ///
    /// - Parameter shared: What they work on, the same in all samples: an instrument that has been contended for is
    ///   another one.
    mutating func addPair<Shared: Sendable>(
        _ id: String,
        goal: BenchmarkGoal? = nil,
        shared: Once<Shared>,
        _ work: @escaping @Sendable (_ shared: Shared, _ iterations: Int) -> Void
    ) {
        var options = BenchmarkOptions.concurrent
        options.goal = goal
        let setUp: @Sendable (Int) throws -> ThreadPair = { iterations in
            let shared = try shared.value()
            return ThreadPair { work(shared, iterations) }
        }
        add(id, options: options, setUp: setUp) { pair, _ in pair.run() }
    }
}
