// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import AxiomMetrics
import Observation

#if Instrumented
/// What the flight recorder adds to a call of a client, each value a difference to the same call without it.
enum TracingRows {
    /// The calls of one trace: as many as an action of a context makes at most.
    private static let callsPerTrace = 10

    static func add(to suite: inout BenchmarkSuite) {
        add("client.traced", to: &suite) { $0.leaf }
        add("client.traced.bound", to: &suite) { $0.bound }
        addAdded("client.traced.added", 25, measured: 41, "a call in a trace", to: &suite) {
            try await inTraces(try await Clients.make(.on), try await Clients.make(.off)) { $0.leaf }
        }
        addAdded(
            "client.traced.bound.added",
            60,
            measured: 196,
            "the same; the client resolved a capability",
            to: &suite
        ) {
            try await inTraces(try await Clients.make(.on), try await Clients.make(.off)) { $0.bound }
        }
        addAdded("client.traced.root.added", 25, measured: 31.5, "a call that begins a trace", to: &suite) {
            try await alone(try await Clients.make(.on), try await Clients.make(.off)) { $0.leaf }
        }
        addAdded(
            "client.traced.root.bound.added",
            60,
            measured: 197,
            "the same; the client resolved a capability",
            to: &suite
        ) {
            try await alone(try await Clients.make(.on), try await Clients.make(.off)) { $0.bound }
        }
        addExemplars(to: &suite)
    }

    /// What exemplars add to the collection of a page: a search of a full recorder, whose spans are all of the last minute.
    private static func addExemplars(to suite: inout BenchmarkSuite) {
        let goal = BenchmarkGoal.atMost(5e6, "5 ms for 4 MiB of spans")
        suite.addValue("exemplars.search", unit: "ns", kind: .information, options: .goal(goal)) {
            let clients = try await Clients.make(.on)
            await call(clients.leaf, 200_000, in: clients.telemetry)
            let registry = clients.telemetry.registry
            let times = try await Turns.times(
                rounds: 101,
                iterations: 1,
                [{ _ in blackHole(registry.collect()) }, { _ in blackHole(registry.collect(exemplars: false)) }]
            )
            return times[0] - times[1]
        }
    }

    private static func add(
        _ id: String,
        to suite: inout BenchmarkSuite,
        _ choose: @escaping @Sendable (Clients) -> any StatelessClient<TallyClient.Action>
    ) {
        let body: @Sendable (Clients, Int) async -> Void = { clients, iterations in
            await call(choose(clients), iterations, in: clients.telemetry)
        }
        var options = BenchmarkOptions()
        options.uncounted = "tasks of some processes take one block of their stack more in 64 calls"
        suite.addAsync(id, options: options, fixture: { try await Clients.make(.on) }, body)
    }

    private static func addAdded(
        _ id: String,
        _ limit: Double,
        measured: Double,
        _ statement: String,
        to suite: inout BenchmarkSuite,
        _ measure: @escaping @Sendable () async throws -> Double
    ) {
        let words = "atomic additions beyond the call without spans; \(statement)"
        let goal = BenchmarkGoal.atMost(limit, words).held(at: measured)
        suite.addValue(id, unit: "x atomic", kind: .information, options: .goal(goal), measure)
    }

    /// What a call within a trace costs more, without the share of the trace's root, in atomic additions.
    private static func inTraces(
        _ on: Clients,
        _ off: Clients,
        _ choose: (Clients) -> any StatelessClient<TallyClient.Action>
    ) async throws -> Double {
        let (traced, plain, total) = (choose(on), choose(off), Total())
        let times = try await Turns.times(
            rounds: 101,
            iterations: 5_000,
            [
                { await call(traced, $0, in: on.telemetry) },
                { await call(plain, $0, in: off.telemetry) },
                { for _ in 0..<($0 / callsPerTrace) { await on.telemetry.span("trace") { await nothing() } } },
                { for _ in 0..<($0 / callsPerTrace) { await off.telemetry.span("trace") { await nothing() } } },
                { for _ in 0..<$0 { total.add() } },
            ]
        )
        return ((times[0] - times[2]) - (times[1] - times[3])) / times[4]
    }

    /// What a call outside of a trace costs more.
    private static func alone(
        _ on: Clients,
        _ off: Clients,
        _ choose: (Clients) -> any StatelessClient<TallyClient.Action>
    ) async throws -> Double {
        let (traced, plain, total) = (choose(on), choose(off), Total())
        let times = try await Turns.times(
            rounds: 101,
            iterations: 5_000,
            [
                { for _ in 0..<$0 { try? await traced.process(.increment) } },
                { for _ in 0..<$0 { try? await plain.process(.increment) } },
                { for _ in 0..<$0 { total.add() } },
            ]
        )
        return (times[0] - times[1]) / times[2]
    }

    private static func call(
        _ client: any StatelessClient<TallyClient.Action>,
        _ iterations: Int,
        in telemetry: Telemetry
    ) async {
        for _ in 0..<(iterations / callsPerTrace) {
            await telemetry.span("trace") {
                for _ in 0..<callsPerTrace { try? await client.process(.increment) }
            }
        }
    }

    @inline(never)
    private static func nothing() async {}

    /// The clients of an application with or without the flight recorder, as its contexts get them.
    private struct Clients: Sendable {
        let telemetry: Telemetry
        /// Lives as long as what it made.
        let orchestrator: Orchestrator
        let leaf: any StatelessClient<TallyClient.Action>
        let bound: any StatelessClient<TallyClient.Action>

        @MainActor
        static func make(_ options: FlightRecorderOptions) async throws -> Clients {
            let telemetry = try Telemetry(flightRecorder: options)
            let orchestrator = Orchestrator(instrumentation: telemetry)
            orchestrator.register(BrokenCapability.self) { BrokenCapability($0) }
            orchestrator.register(PlainClient.self) { PlainClient($0) }
            orchestrator.register(BoundClient.self) { try BoundClient($0) }
            orchestrator.register(TracedContext.self) { try TracedContext($0) }
            try await orchestrator.start()
            let context = try orchestrator.makeContext(TracedContext.self)
            try await context.leaf.processFirst(.increment)
            try await context.bound.processFirst(.increment)
            return Clients(telemetry: telemetry, orchestrator: orchestrator, leaf: context.leaf, bound: context.bound)
        }
    }
}

extension FlightRecorderOptions {
    fileprivate static let on = FlightRecorderOptions()
}

/// As little as ``TallyClient`` does, in a client without a state.
private actor PlainClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private var count = 0

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    func process(_ action: TallyClient.Action) {
        count &+= 1
    }
}

/// The same in a client that resolved a capability.
private actor BoundClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<BrokenCapability>
    private var count = 0

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        capability = try scope.capability(BrokenCapability.self)
    }

    func process(_ action: TallyClient.Action) {
        count &+= 1
    }
}

@MainActor
@Observable
private final class TracedContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let leaf: any StatelessClient<TallyClient.Action>
    @ObservationIgnored let bound: any StatelessClient<TallyClient.Action>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        leaf = try scope.client(PlainClient.self)
        bound = try scope.client(BoundClient.self)
    }
}
#endif
