// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import AxiomStatistics
import Foundation

/// What calls of clients cost when many tasks call, each value a relation of two that were measured in turns: to one task,
/// and to the same without instrumentation. See ``Disturbance`` for how long calls take then.
enum ClientCrowdRows {
    private static let counts = [1, 2, 4, 8, 16]

    static func add(to suite: inout BenchmarkSuite) {
        for tasks in counts.dropFirst() {
            suite.addValue(
                "client.apart/\(tasks) tasks",
                unit: "x 1 task",
                kind: .information,
                options: concurrent(
                    .atMost(1.5, "the processor time of a call by one task; clients apart, handles shared")
                )
            ) { try await apart(tasks) }
        }
        for tasks in counts {
            suite.addValue(
                "client.crowd/\(tasks) tasks",
                unit: "x bare",
                kind: .information,
                options: concurrent(
                    .atMost(1.5, "the time of a call without instrumentation; 2 µs of work on one actor")
                )
            ) { try await crowd(tasks) }
        }
        suite.addValue(
            "client.disturbance",
            unit: "x visible",
            kind: .information,
            options: concurrent(.atMost(1, "the smallest visible change of the share of calls at twice the median"))
        ) {
            let disturbance = try await Disturbance.measure()
            return disturbance.difference / disturbance.visible
        }
        suite.addValue("client.disturbance.difference", unit: "points", kind: .information, options: .concurrent) {
            try await Disturbance.measure().difference
        }
        suite.addValue("client.disturbance.visible", unit: "points", kind: .information, options: .concurrent) {
            try await Disturbance.measure().visible
        }
    }

    private static func concurrent(_ goal: BenchmarkGoal) -> BenchmarkOptions {
        var options = BenchmarkOptions.concurrent
        options.goal = goal
        return options
    }

    /// Each task has a client of its own, and all record in the same handles: what grows is what the tasks share there.
    private static func apart(_ tasks: Int) async throws -> Double {
        let telemetry = try Telemetry()
        let clients = (0..<tasks).map { _ in BusyClient.instrumented(by: telemetry) }
        return try await ratio(iterations: 16_000, clients, [clients[0]], .work(0))
    }

    private static func crowd(_ tasks: Int) async throws -> Double {
        let (bare, instrumented) = (BusyClient(), BusyClient.instrumented(by: try Telemetry()))
        let work = BusyClient.Action.work(BusyClient.steps)
        let clients: [AnyBusyClient] = Array(repeating: bare, count: tasks)
        return try await ratio(iterations: 4_000, Array(repeating: instrumented, count: tasks), clients, work)
    }

    /// The processor time of a call by one crowd over that by the other, in turns. Not the time on the clock: on a machine
    /// that has other work, tasks may or may not run at the same time.
    private static func ratio(
        iterations: Int,
        _ first: [AnyBusyClient],
        _ second: [AnyBusyClient],
        _ action: BusyClient.Action
    ) async throws -> Double {
        var times: [[Double]] = [[], []]
        for round in -1..<Repetitions.count(41) {
            for (side, clients) in [first, second].enumerated() {
                let start = ProcessorTime.seconds
                try await run(clients, iterations / clients.count, action)
                // The first round only warms up.
                if round >= 0 { times[side].append(ProcessorTime.seconds - start) }
            }
        }
        let (one, other) = (times[0].sorted(), times[1].sorted())
        return one[one.count / 10] / other[other.count / 10]
    }

    /// One task for each client, which calls it `iterations` times.
    private static func run(_ clients: [AnyBusyClient], _ iterations: Int, _ action: BusyClient.Action) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask { for _ in 0..<iterations { try await client.process(action) } }
            }
            try await group.waitForAll()
        }
    }
}

typealias AnyBusyClient = any StatelessClient<BusyClient.Action>

/// A client whose actions keep its actor busy.
actor BusyClient: StatelessClient {
    enum Action: Axiom.Action {
        /// Works so many steps.
        case work(_ steps: Int)
        /// The same twice, and lets the other callers in between.
        case share(_ steps: Int)

        static let caseNames = ["work", "share"]

        var caseIndex: Int { if case .work = self { 0 } else { 1 } }
    }

    /// About 2 µs.
    static let steps = 1_000
    private var sum: UInt64 = 1

    func process(_ action: Action) async {
        switch action {
        case .work(let steps): work(steps)
        case .share(let steps):
            work(steps)
            await Task.yield()
            work(steps)
        }
    }

    private func work(_ steps: Int) {
        for _ in 0..<steps { sum = opaque(sum) &* 6_364_136_223_846_793_005 &+ 1 }
    }

    static func instrumented(by telemetry: Telemetry) -> AnyBusyClient {
        let component = ComponentDescriptor(kind: .client, name: "BusyClient")
        let probe = telemetry.clientProbe(for: component, of: BusyClient.self, calledBy: nil)
        let spans = telemetry.spanProbe(for: component, actions: Action.caseNames).map {
            ClientSpans($0, instance: 0, binds: false)
        }
        let breakers = telemetry.clientBreakers(for: component, of: BusyClient.self)
        return ObservedClient(
            BusyClient(),
            component,
            probe: probe,
            clock: .live,
            breakers: breakers,
            spans: spans
        )
    }
}

/// Whether instrumentation makes more calls take twice as long as most, while tasks contend for one client.
struct Disturbance {
    private static let pairs = Repetitions.count(300)
    private static let tasks = 8
    private static let calls = 150
    /// Which part of the differences is left out at either end: rounds in which the machine did something else.
    private static let trimmed = 0.2

    /// By how many percentage points the share of calls at twice the median is larger with instrumentation.
    let difference: Double
    /// The smallest difference that the pairs would show in 80 % of the runs, at a false-alarm rate of 1 %.
    let visible: Double

    /// Runs pairs of rounds, in each with and without instrumentation, in an order that changes from pair to pair.
    static func measure() async throws -> Disturbance {
        let (bare, instrumented): (AnyBusyClient, AnyBusyClient) = (
            BusyClient(), BusyClient.instrumented(by: try Telemetry())
        )
        var differences: [Double] = []
        for pair in -1..<pairs {
            let first = try await share(pair % 2 == 0 ? bare : instrumented)
            let second = try await share(pair % 2 == 0 ? instrumented : bare)
            // The first pair only warms up.
            if pair >= 0 { differences.append(pair % 2 == 0 ? second - first : first - second) }
        }
        return try Disturbance(differences.sorted())
    }

    /// Takes the trimmed mean, and its standard error from the winsorized variance (Yuen, Biometrika 61, 1974).
    private init(_ sorted: [Double]) throws {
        let (count, cut) = (sorted.count, Int(Double(sorted.count) * Self.trimmed))
        let kept = Array(sorted[cut..<(count - cut)])
        let ends = (kept.first ?? 0, kept.last ?? 0)
        let winsorized = sorted.map { min(max($0, ends.0), ends.1) }
        let centre = winsorized.reduce(0, +) / Double(count)
        let variance = winsorized.reduce(0) { $0 + ($1 - centre) * ($1 - centre) } / Double(count - 1)
        let student = try StudentDistribution(degrees: Double(kept.count - 1))
        let quantiles = try student.quantile(0.99) + student.quantile(0.8)
        let share = Double(kept.count) / Double(count)
        difference = 100 * kept.reduce(0, +) / Double(kept.count)
        visible = 100 * quantiles * (variance / Double(count)).squareRoot() / share
    }

    /// The share of calls that take twice the median of the round or longer, as their callers see it.
    private static func share(_ client: AnyBusyClient) async throws -> Double {
        let times = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var times: [Int64] = []
                    for _ in 0..<calls {
                        let start = TimeSource.live.now
                        try await client.process(.share(BusyClient.steps))
                        times.append(TimeSource.live.now.nanoseconds(since: start))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let median = times[times.count / 2]
        return Double(times.count { $0 >= 2 * median }) / Double(times.count)
    }
}
