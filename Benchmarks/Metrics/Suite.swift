// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import BenchmarkSupport
import Synchronization

/// All benchmarks of the instruments, with their goals.
struct Suite {
    enum Outcome: String, LabelValue, CaseIterable {
        case success
        case failure
        case cancelled
        case rejected
    }

    private let registry: Registry
    private let only: String
    private var run: BenchmarkRun
    private var goals: [String: Goal] = [:]
    private var allocations: [String: Double] = [:]
    private var shared: [(id: String, body: @Sendable (Int) -> Void)] = []
    private let rounds: Int

    init(registry: Registry, only: String, rounds: Int) throws {
        self.registry = registry
        self.only = only
        self.rounds = rounds
        run = BenchmarkRun(iterations: Self.iterations, rounds: rounds)
    }

    private static let iterations = 10_000
    /// 1,024 times between 0 and 12 s, as no branch predictor expects them.
    private static let times: [Double] = {
        var state: UInt64 = 1
        return (0..<1_024).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return Double(state >> 40) / Double(1 << 24) * 12
        }
    }()

    mutating func run() async throws -> MetricsReport {
        run.addFloors()
        addMemcpy()
        addPrivateAdditions()
        try addScalars()
        try addHistograms()
        try addLookups()
        let times = await run.run()
        return MetricsReport(
            times.results.map { ($0.id, $0.nanoseconds) } + timeShared(),
            goals: goals,
            allocations: allocations,
            memory: try Memory.measure(only: only)
        )
    }

    /// Nanoseconds for each operation of each thread, in each round, ascending.
    private func timeShared() -> [(id: String, nanoseconds: [Double])] {
        let pair = ThreadPair()
        var times = shared.map { ($0.id, [Double]()) }
        for _ in 0..<rounds {
            for (index, benchmark) in shared.enumerated() {
                guard let time = pair.time(attempts: 10, { benchmark.body(Self.iterations) }) else { continue }
                times[index].1.append(Double(time) / Double(Self.iterations))
            }
        }
        return times.map { ($0.0, $0.1.sorted()) }
    }

    private mutating func addMemcpy() {
        let source = [UInt8](repeating: 1, count: 1 << 20)
        let block = Block(source)
        run.add("floor/memcpy.MB") { iterations in
            // Once for each thousand operations, or a run would take minutes.
            for _ in 0..<(iterations / 1_000) { block.copy() }
        }
    }

    /// What two threads cost each other when they share nothing: two processors of a virtual machine may be one.
    private mutating func addPrivateAdditions() {
        shared.append(
            (
                "floor/atomic.add/2 threads, nothing shared",
                { iterations in
                    let total = PrivateTotal()
                    for _ in 0..<iterations { total.add() }
                    keep(total)
                }
            )
        )
    }

    private mutating func addScalars() throws {
        let counter = try registry.counter("counter_total", help: "C.")
        add("metrics/counter.increment", .times(1.2)) { for _ in 0..<$0 { counter.increment() } }
        let shared = try registry.counter("shared_total", help: "C.")
        addShared("metrics/counter.increment") { for _ in 0..<$0 { shared.increment() } }
        let float = try registry.floatCounter("float_total", help: "C.")
        add("metrics/floatcounter.increment", nil) { for _ in 0..<$0 { float.increment(by: 0.5) } }
        let gauge = try registry.gauge("gauge", help: "G.")
        add("metrics/gauge.set", .times(1.2)) { iterations in
            for index in 0..<iterations {
                gauge.set(Double(index))
                // Between two settings the gauge may be read: without this the compiler keeps only some of them.
                keep(gauge)
            }
        }
    }

    private mutating func addHistograms() throws {
        let times = Self.times
        let nanoseconds = times.map { Int64($0 * 1e9) }
        let classic = try registry.histogram("classic", help: "H.")
        add("metrics/histogram.observe", .times(2.5)) {
            for index in 0..<$0 { classic.observe(times[index & 1_023]) }
        }
        add("metrics/histogram.observe.ns", nil) {
            for index in 0..<$0 { classic.observe(nanoseconds: nanoseconds[index & 1_023]) }
        }
        let sharedClassic = try registry.histogram("shared_classic", help: "H.")
        addShared("metrics/histogram.observe") {
            for index in 0..<$0 { sharedClassic.observe(times[index & 1_023]) }
        }
        shared.append(
            (
                "floor/histogram.observe/2 threads, nothing shared",
                { iterations in
                    guard let own = try? Registry().histogram("own", help: "H.") else { return }
                    for index in 0..<iterations { own.observe(times[index & 1_023]) }
                }
            )
        )
        let exponential = try registry.exponentialHistogram("exponential", help: "H.")
        add("metrics/exponential.observe", .times(2.5)) {
            for index in 0..<$0 { exponential.observe(times[index & 1_023]) }
        }
        let sharedExponential = try registry.exponentialHistogram("shared_exponential", help: "H.")
        addShared("metrics/exponential.observe") {
            for index in 0..<$0 { sharedExponential.observe(times[index & 1_023]) }
        }
    }

    private mutating func addLookups() throws {
        let strings = try registry.counters(
            "strings_total",
            help: "C.",
            labels: Label<String>("client"),
            Label<String>("action")
        )
        for client in 0..<32 {
            for action in 0..<16 { _ = strings("ShoppingCartClient\(client)", "addItemToCart\(action)") }
        }
        let client = "ShoppingCartClient7"
        let action = "addItemToCart3"
        add("metrics/family.lookup", .times(20)) { for _ in 0..<$0 { keep(strings(client, action)) } }
        let enums = try registry.counters("enums_total", help: "C.", labels: Label<Outcome>("outcome"))
        for outcome in Outcome.allCases { _ = enums(outcome) }
        let outcomes = (0..<1_024).map { Outcome.allCases[$0 * 7 % 4] }
        add("metrics/family.lookup.enum", .times(2)) {
            for index in 0..<$0 { keep(enums(outcomes[index & 1_023])) }
        }
    }

    /// Adds an operation, which `body` runs as often as it is told; the loop stands in the body so that the compiler
    /// treats it as it would in a program.
    private mutating func add(_ id: String, _ goal: Goal?, _ body: @escaping @Sendable (Int) -> Void) {
        guard id.hasPrefix(only) else { return }
        goals[id] = goal
        allocations[id] = AllocationCount.perOperation(body)
        run.add(id, body)
    }

    /// Adds an operation that two threads run at the same time on one instrument.
    private mutating func addShared(_ id: String, _ body: @escaping @Sendable (Int) -> Void) {
        guard id.hasPrefix(only) else { return }
        goals[id + "/2 threads"] = .timesOwn(1.2)
        shared.append((id + "/2 threads", body))
    }
}

/// An atomic word with cache lines of its own around it.
private final class PrivateTotal: Sendable {
    private let before: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let more: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let total = Atomic<UInt64>(0)
    private let after: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
    private let last: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)

    @inline(__always)
    func add() {
        total.wrappingAdd(1, ordering: .relaxed)
    }
}
