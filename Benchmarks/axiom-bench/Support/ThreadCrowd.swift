// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import Foundation
import Synchronization

/// The same work for several threads at once, also for more than there are processors. All wait before they begin, so
/// that no round pays for a thread that is made.
final class ThreadCrowd: Sendable {
    private let begin = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)
    private let there = Atomic<Int>(0)
    private let count: Int

    init(_ count: Int, _ work: @escaping @Sendable (_ thread: Int) -> Void) {
        self.count = count
        for thread in 0..<count {
            Thread.detachNewThread { [self] in
                there.wrappingAdd(1, ordering: .releasing)
                begin.wait()
                work(thread)
                end.signal()
            }
        }
        while there.load(ordering: .acquiring) < count { sched_yield() }
    }

    /// Returns when all have done it; once for each crowd.
    func run() {
        for _ in 0..<count { begin.signal() }
        for _ in 0..<count { end.wait() }
    }
}

extension BenchmarkSuite {
    /// Adds the processor time of an operation when 1, 2, 4, 8 and 16 threads do it at the same time. It grows when
    /// threads hinder each other, because a thread that waits for memory of another processor occupies its own. The time on
    /// the clock is not used: it also grows when other programs run. The first quartile of the rounds; it is information.
    ///
    /// - Parameters:
    ///   - goal: How many times the value of one thread the others may be.
    ///   - shared: Makes what they work on, once in each process.
    ///   - work: Runs the operation a given number of times, in the thread of a given number.
    mutating func addCrowds<Shared: Sendable>(
        _ id: String,
        goal: Double? = nil,
        shared: @autoclosure @escaping @Sendable () throws -> Shared,
        _ work: @escaping @Sendable (_ shared: Shared, _ thread: Int, _ iterations: Int) -> Void
    ) {
        let alone = "\(id)/1 thread"
        for count in [1, 2, 4, 8, 16] {
            var options = BenchmarkOptions.concurrent
            // Version 1 was the time on the clock.
            options.version = 2
            if count > 1, let goal { options.goal = .atMost(goal, times: "\(name)/\(alone)") }
            addValue(count == 1 ? alone : "\(id)/\(count) threads", unit: "ns", kind: .information, options: options) {
                let (shared, rounds, iterations) = (try shared(), Repetitions.count(15, least: 8), 100_000)
                let times = (0..<rounds).map { _ in
                    let crowd = ThreadCrowd(count) { work(shared, $0, iterations) }
                    let start = ProcessorTime.seconds
                    crowd.run()
                    return (ProcessorTime.seconds - start) * 1e9 / Double(count * iterations)
                }
                return times.sorted()[rounds / 4]
            }
        }
    }
}
