// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import AxiomMetrics
import CAxiomSupport

/// What grows with the number of components of one application.
extension ScaleSuite {
    private static let sizes = [10, 100, 1_000]
    private static let many = sizes + [10_000]

    static let components = [
        Cost(id: "components.register", unit: "us/component", sizes: many, turns: 5) {
            try await register($0, .clients)
        },
        Cost(id: "components.start", unit: "us/component", sizes: many) { try await run($0, .clients).start },
        Cost(id: "components.stop", unit: "us/component", sizes: sizes) { try await run($0, .clients).stop },
        Cost(id: "components.start.telemetry", unit: "us/component", sizes: many) { count in
            try await run(count, .clients, try Telemetry()).start
        },
        Cost(id: "components.stop.telemetry", unit: "us/component", sizes: sizes) { count in
            try await run(count, .clients, try Telemetry()).stop
        },
        Cost(id: "components.inspect", unit: "us/component", sizes: sizes) {
            try await run($0, .clients, try Telemetry()).inspect
        },
        Cost(id: "components.page", unit: "us/component", sizes: sizes) { try await page($0).collect },
        Cost(id: "components.scrape", unit: "us/component", sizes: sizes) { try await page($0).encode },
        Cost(id: "components.memory", unit: "bytes/component", sizes: sizes, turns: 1) { try await page($0).bytes },
        Cost(id: "capabilities.start", unit: "us/capability", sizes: sizes) { try await run($0, .capabilities).start },
        Cost(id: "capabilities.stop", unit: "us/capability", sizes: sizes) { try await run($0, .capabilities).stop },
        Cost(id: "capabilities.refresh", unit: "us/capability", sizes: sizes) {
            try await run($0, .capabilities).refresh
        },
    ]

    private enum Parts { case clients, capabilities }

    @MainActor
    private static func application(
        _ count: Int,
        _ parts: Parts,
        _ instrumentation: any Instrumentation = Instrumentations()
    ) -> Orchestrator {
        let orchestrator = Orchestrator(instrumentation: instrumentation)
        for number in 0..<count { DecimalTypes.register(number, parts == .clients, orchestrator) }
        return orchestrator
    }

    /// How many types of each kind the runtime knows.
    @MainActor private static var known: [Parts: Int] = [:]

    /// Runs an application once, so that the runtime makes what describes the types before anything is measured.
    @MainActor
    private static func prepare(_ count: Int, _ parts: Parts) async throws {
        guard known[parts, default: 0] < count else { return }
        known[parts] = count
        let first = application(count, parts)
        try await first.start()
        await first.shutdown()
    }

    @MainActor
    private static func register(_ count: Int, _ parts: Parts) async throws -> Double {
        try await prepare(count, parts)
        return await microseconds(of: count) { blackHole(application(count, parts)) }
    }

    @MainActor
    private static func run(
        _ count: Int,
        _ parts: Parts,
        _ instrumentation: any Instrumentation = Instrumentations()
    ) async throws -> (start: Double, stop: Double, inspect: Double, refresh: Double) {
        try await prepare(count, parts)
        let orchestrator = application(count, parts, instrumentation)
        let start = try await microseconds(of: count) { try await orchestrator.start() }
        let inspect = await microseconds(of: count) { blackHole(orchestrator.inspect().components.count) }
        let refresh = await microseconds(of: count) { await orchestrator.refreshAll() }
        let stop = await microseconds(of: count) { await orchestrator.shutdown() }
        return (start, stop, inspect, refresh)
    }

    /// The times of a page that is collected for the second time, and the heap that the components and the page take.
    @MainActor
    private static func page(_ count: Int) async throws -> (collect: Double, encode: Double, bytes: Double) {
        try await prepare(count, .clients)
        let telemetry = try Telemetry()
        let orchestrator = application(count, .clients, telemetry)
        let before = axiom_heap_bytes()
        try await orchestrator.start()
        var snapshot = telemetry.registry.collect()
        let bytes = Double(axiom_heap_bytes() - before) / Double(count)
        let collect = await microseconds(of: count) { snapshot = telemetry.registry.collect() }
        var buffer = ExpositionBuffer()
        ExpositionFormat.text.encode(snapshot, into: &buffer)
        buffer.removeAll()
        let start = TimeSource.live.now
        ExpositionFormat.text.encode(snapshot, into: &buffer)
        let encode = TimeSource.live.now.seconds(since: start) * 1e6 / Double(count)
        struct Short: Error {}
        guard buffer.count > 500 * count else { throw Short() }
        await orchestrator.shutdown()
        return (collect, encode, bytes)
    }
}

/// 10,000 types of clients and of capabilities: a number has four digits, each of which is one of ten types. Their names are
/// short and equally long, so that a name costs the same in an application of 10 and of 10,000.
enum DecimalTypes {
    protocol Digit: SendableMetatype {}
    enum D0: Digit {}
    enum D1: Digit {}
    enum D2: Digit {}
    enum D3: Digit {}
    enum D4: Digit {}
    enum D5: Digit {}
    enum D6: Digit {}
    enum D7: Digit {}
    enum D8: Digit {}
    enum D9: Digit {}
    enum Number<A: Digit, B: Digit, C: Digit, D: Digit> {}

    static let digits: [any Digit.Type] = [
        D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
    ]

    /// Registers the client or the capability of a number below 10,000.
    @MainActor
    static func register(_ number: Int, _ isClient: Bool, _ orchestrator: Orchestrator) {
        func open<A: Digit, B: Digit, C: Digit, D: Digit>(_: A.Type, _: B.Type, _: C.Type, _: D.Type) {
            typealias Numbered = Number<A, B, C, D>
            if isClient {
                orchestrator.register(NumberedClient<Numbered>.self) { NumberedClient<Numbered>($0) }
            } else {
                orchestrator.register(NumberedCapability<Numbered>.self) { NumberedCapability<Numbered>($0) }
            }
        }
        let (a, b): (any Digit.Type, any Digit.Type) = (digits[number % 10], digits[number / 10 % 10])
        let (c, d): (any Digit.Type, any Digit.Type) = (digits[number / 100 % 10], digits[number / 1_000])
        open(a, b, c, d)
    }
}
