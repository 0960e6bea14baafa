// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import CAxiomCounters

#if Instrumented
/// What recording spans costs when many tasks do it at once, and how often it calls the allocator.
enum TracedCrowdRows {
    private static let callsPerTrace = 10

    static func add(to suite: inout BenchmarkSuite) {
        for (tasks, limit) in [(2, 1.3), (16, 1.5)] {
            var options = BenchmarkOptions.concurrent
            options.goal = .atMost(limit, "the processor time of a call by one task; a client and traces for each task")
            suite.addValue(
                "crowd.traced/\(tasks) tasks",
                unit: "x 1 task",
                kind: .information,
                options: options
            ) { try await apart(tasks) }
            suite.addValue(
                "crowd.traced.together/\(tasks) tasks",
                unit: "x 1 task",
                kind: .information,
                options: .concurrent
            ) { try await together(tasks) }
        }
        let goal = BenchmarkGoal.atMost(0, "allocations beyond the calls without spans; 10 calls in each trace")
        suite.addValue(
            "client.traced.allocations",
            unit: "1/call",
            kind: .information,
            options: .goal(goal)
        ) { try await allocations() }
    }

    /// The processor time of a call in a trace, relative to that of one task. Each task has a client and traces of its own,
    /// and all record in the same flight recorder.
    private static func apart(_ tasks: Int) async throws -> Double {
        let telemetry = try Telemetry()
        let clients = (0..<tasks).map { _ in BusyClient.instrumented(by: telemetry) }
        return try await ratio(tasks) { try await call(clients[$0], $1, in: telemetry) }
    }

    /// The same, with all calls in one trace, which is larger than its record.
    private static func together(_ tasks: Int) async throws -> Double {
        let telemetry = try Telemetry()
        let clients = (0..<tasks).map { _ in BusyClient.instrumented(by: telemetry) }
        return try await telemetry.span("all") {
            try await ratio(tasks) { task, iterations in
                for _ in 0..<iterations { try await clients[task].process(.work(0)) }
            }
        }
    }

    private static func call(_ client: AnyBusyClient, _ iterations: Int, in telemetry: Telemetry) async throws {
        for _ in 0..<(iterations / callsPerTrace) {
            try await telemetry.span("trace") {
                for _ in 0..<callsPerTrace { try await client.process(.work(0)) }
            }
        }
    }

    /// The processor time of an iteration by `tasks` tasks over that by one, in turns: the first decile of the rounds.
    private static func ratio(
        _ tasks: Int,
        _ body: @escaping @Sendable (_ task: Int, _ iterations: Int) async throws -> Void
    ) async throws -> Double {
        let iterations = 32_000
        var times: [[Double]] = [[], []]
        for round in -1..<Repetitions.count(41) {
            for (side, count) in [1, tasks].enumerated() {
                let start = ProcessorTime.seconds
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<count { group.addTask { try await body(task, iterations / count) } }
                    try await group.waitForAll()
                }
                // The first round only warms up.
                if round >= 0 { times[side].append(ProcessorTime.seconds - start) }
            }
        }
        let (one, all) = (times[0].sorted(), times[1].sorted())
        return all[all.count / 10] / one[one.count / 10]
    }

    /// How many more calls of the allocator a call in a trace makes than the same call without the flight recorder.
    private static func allocations() async throws -> Double {
        let (on, off) = (try Telemetry(), try Telemetry(flightRecorder: .off))
        let (traced, plain) = (BusyClient.instrumented(by: on), BusyClient.instrumented(by: off))
        let iterations = 20_000
        var counts: [Int64] = []
        for round in 0..<2 {
            for (client, telemetry) in [(traced, on), (plain, off)] {
                let start = axiom_allocation_counts_now().allocations
                guard start >= 0 else { return .nan }
                try await call(client, iterations, in: telemetry)
                // The first round allocates what the tasks and threads keep.
                if round > 0 { counts.append(axiom_allocation_counts_now().allocations - start) }
            }
        }
        // Other threads of the process allocate now and then.
        let difference = Double(counts[0] - counts[1]) / Double(iterations)
        return (difference * 100).rounded() / 100
    }
}
#endif
