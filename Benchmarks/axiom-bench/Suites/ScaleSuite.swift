// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import AxiomMetrics
import CAxiomSupport

/// What grows with what: for each size the cost of one component, series, subscriber or instance, and by what factor it is
/// higher at the largest size than at a tenth of it.
///
/// A total that is linear has a constant cost of one, so both shapes have the goal of at most 1.5. A total that grows with
/// the square has the factor 10.
enum ScaleSuite {
    static let suite = BenchmarkSuite("scale") { suite in
        for cost in components + series + subscribers + instances { cost.add(to: &suite) }
    }

    /// A cost of one of `sizes` things.
    struct Cost: Sendable {
        let id: String
        let unit: String
        let sizes: [Int]
        /// How often both sizes of the factor are measured. The lowest values count.
        var turns = 3
        let measure: @Sendable (_ size: Int) async throws -> Double

        func add(to suite: inout BenchmarkSuite) {
            let (measure, turns) = (measure, turns)
            for size in sizes {
                suite.addValue("\(id)?n=\(size)", unit: unit, kind: .information) { try await measure(size) }
            }
            guard let largest = sizes.last else { return }
            let goal = BenchmarkGoal.atMost(1.5, "the cost of one at \(largest) <= 1.5 times that at \(largest / 10)")
            suite.addValue("\(id).growth", unit: "times", kind: .information, options: .goal(goal)) {
                var (small, large) = (Double.infinity, Double.infinity)
                for _ in 0..<turns {
                    small = min(small, try await measure(largest / 10))
                    large = min(large, try await measure(largest))
                }
                return large / small
            }
        }
    }

    /// Microseconds of an operation, divided by a number of things.
    static func microseconds(
        isolation: isolated (any Actor)? = #isolation,
        of count: Int,
        _ operation: () async throws -> Void
    ) async rethrows -> Double {
        let start = TimeSource.live.now
        try await operation()
        return TimeSource.live.now.seconds(since: start) * 1e6 / Double(count)
    }

    // MARK: Series

    private static let sizes = [1_000, 10_000, 100_000, 1_000_000]
    private static let series = [
        Cost(id: "series.add", unit: "us/series", sizes: sizes, turns: 1) { try await filled($0).time },
        Cost(id: "series.memory", unit: "bytes/series", sizes: sizes, turns: 1) { try await filled($0).bytes },
        Cost(id: "series.lookup", unit: "us", sizes: sizes, turns: 1) { try await lookup($0) },
        Cost(id: "series.page", unit: "us/series", sizes: sizes, turns: 1) { count in
            let registry = try await filled(count).registry
            return await microseconds(of: count) { blackHole(registry.collect().families.count) }
        },
    ]

    private static func family(_ count: Int, in registry: Registry) throws -> Family<Counter, String> {
        try registry.counters(
            "scale_total",
            help: "S.",
            labels: Label<String>("user"),
            options: MetricOptions(seriesLimit: count)
        )
    }

    private static func filled(_ count: Int) async throws -> (registry: Registry, time: Double, bytes: Double) {
        let registry = Registry()
        let family = try family(count, in: registry)
        let before = axiom_heap_bytes()
        let time = await microseconds(of: count) {
            for number in 0..<count { family("user-\(number)").increment() }
        }
        return (registry, time, Double(axiom_heap_bytes() - before) / Double(count))
    }

    /// A lookup of one of 10,000 series that lie everywhere in the family: the fastest of 20 turns.
    private static func lookup(_ count: Int) async throws -> Double {
        let family = try family(count, in: try await filled(count).registry)
        let names = (0..<10_000).map { "user-\($0 &* 7_919 % count)" }
        for name in names { family(name).increment() }
        var best = Double.infinity
        for _ in 0..<20 {
            best = min(best, await microseconds(of: names.count) { for name in names { family(name).increment() } })
        }
        return best
    }

    // MARK: Subscribers and instances

    private static let subscribers = [
        Cost(id: "subscribers.update", unit: "us/subscriber", sizes: [100, 1_000, 10_000, 100_000]) { count in
            try await subscribed(count).time
        },
        Cost(id: "subscribers.memory", unit: "bytes/subscriber", sizes: [100, 1_000, 10_000, 100_000]) { count in
            try await subscribed(count).bytes
        },
    ]

    private static let instances = [
        Cost(id: "instances.make", unit: "us/context", sizes: [10, 100, 1_000, 10_000], turns: 15) { count in
            try await made(count).time
        },
        Cost(id: "instances.memory", unit: "bytes/context", sizes: [10, 100, 1_000, 10_000]) {
            try await made($0).bytes
        },
    ]

    /// An update of a state that has this many subscribers: the time of the fastest of 8. Each subscriber keeps all 8 states.
    private static func subscribed(_ count: Int) async throws -> (time: Double, bytes: Double) {
        let store = StateStore(BookState())
        let before = axiom_heap_bytes()
        var subscribers = (0..<count).map { _ in store.stream.makeAsyncIterator() }
        for index in subscribers.indices { _ = try await subscribers[index].next() }
        let bytes = Double(axiom_heap_bytes() - before) / Double(count)
        var time = Double.infinity
        for _ in 0..<8 { time = min(time, await microseconds(of: count) { store.update { $0.count += 1 } }) }
        struct Lost: Error {}
        guard try await subscribers[count - 1].next()?.count == 1 else { throw Lost() }
        return (time, bytes)
    }

    /// Instances of one context, which all live.
    @MainActor
    private static func made(_ count: Int) async throws -> (time: Double, bytes: Double) {
        let orchestrator = try await FrameworkSuite.application()
        var contexts = [try orchestrator.makeContext(BookContext.self)]
        contexts.reserveCapacity(count + 1)
        let before = axiom_heap_bytes()
        let time = try await microseconds(of: count) {
            for _ in 0..<count { contexts.append(try orchestrator.makeContext(BookContext.self)) }
        }
        let bytes = Double(axiom_heap_bytes() - before) / Double(count)
        contexts.removeAll()
        await orchestrator.shutdown()
        return (time, bytes)
    }
}
