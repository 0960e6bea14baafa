// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs a body in two tasks at the same time; both begin when both have arrived.
enum TaskPair {
    private final class Meeting: Sendable {
        let arrived = Atomic<Int>(0)
    }

    /// Nanoseconds of the task that took longer, without the way to the start.
    static func time(_ body: @escaping @Sendable () async -> Void) async -> Double {
        let meeting = Meeting()
        let other = Task.detached { await span(meeting, body) }
        let own = await span(meeting, body)
        return max(own, await other.value)
    }

    private static func span(_ meeting: Meeting, _ body: @Sendable () async -> Void) async -> Double {
        meeting.arrived.add(1, ordering: .acquiringAndReleasing)
        while meeting.arrived.load(ordering: .acquiring) < 2 { sched_yield() }
        let start = TimeSource.live.now
        await body()
        return Double(TimeSource.live.now.nanoseconds(since: start))
    }
}

extension BenchmarkSuite {
    /// Adds what an operation takes when two tasks do it at the same time, as ``addPair(_:goal:shared:_:)`` does for
    /// threads. A round repeats it as often as `iterations` says: fewer for operations of microseconds.
    mutating func addTaskPair<Shared: Sendable>(
        _ id: String,
        goal: BenchmarkGoal? = nil,
        iterations: Int = 10_000,
        shared: @escaping @Sendable () throws -> Shared,
        _ work: @escaping @Sendable (_ shared: Shared, _ iterations: Int) async -> Void
    ) {
        var options = BenchmarkOptions.concurrent
        options.goal = goal
        addValue(id, unit: "ns", kind: .information, options: options) {
            let (shared, rounds) = (try shared(), 41)
            var times: [Double] = []
            for _ in 0..<rounds {
                times.append(await TaskPair.time { await work(shared, iterations) } / Double(iterations))
            }
            return times.sorted()[rounds / 10]
        }
    }
}
