// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import Observation

/// What a call of a client costs: bare, through a wrapper that does nothing, and as the orchestrator hands it out, which
/// is instrumented or, in a build without the trait `Instrumented`, the client itself.
enum InstrumentationSuite {
    #if Instrumented
    private static let resolvedID = "client.instrumented"
    #else
    private static let resolvedID = "client.traitoff"
    #endif

    private typealias AnyTally = any Client<TallyClient.State, TallyClient.Action>

    static let suite = BenchmarkSuite("instrumentation") { suite in
        let bare: @Sendable (Clients, Int) async -> Void = { clients, iterations in
            let client = clients.bare
            for _ in 0..<iterations { await client.process(.increment) }
        }
        suite.addAsync("client.bare", fixture: { try await Clients.make(try Telemetry()) }, bare)
        add("client.existential", to: &suite) { $0.bare }
        add("client.emptywrapper", to: &suite) { EmptyWrapper($0.bare) }
        add(resolvedID, to: &suite) { $0.resolved }
        add("\(resolvedID).recorded", to: &suite, .recording()) { $0.resolved }
        addAdded(to: &suite)
        MiddlewareRows.add(to: &suite)
        CallStepRows.add(to: &suite)
        #if Instrumented
        TracingRows.add(to: &suite)
        CapabilityCallRows.add(to: &suite)
        TracedCrowdRows.add(to: &suite)
        ProfiledRows.add(to: &suite)
        #endif
        ClientCrowdRows.add(to: &suite)
    }

    /// What instrumentation adds to a wrapper that does nothing, in parts of what it is given: two readings of the clock
    /// and 25 atomic additions. Without the flight recorder, which has goals of its own.
    private static func addAdded(to suite: inout BenchmarkSuite) {
        let statement = "2 readings of the clock and 25 atomic additions beyond an empty wrapper"
        // It lies just below its goal, and above it on some processors.
        let goal = BenchmarkGoal.atMost(1, statement).held(at: 0.95)
        suite.addValue("client.added", unit: "x goal", kind: .information, options: .goal(goal)) {
            let clients = try await Clients.make(try Telemetry(flightRecorder: .off))
            let (wrapper, total): (AnyTally, Total) = (EmptyWrapper(clients.bare), Total())
            let times = try await Turns.times(
                rounds: 101,
                iterations: 5_000,
                [
                    { for _ in 0..<$0 { try? await clients.resolved.process(.increment) } },
                    { for _ in 0..<$0 { try? await wrapper.process(.increment) } },
                    { for _ in 0..<$0 { blackHole(TimeSource.live.now) } },
                    { for _ in 0..<$0 { total.add() } },
                ]
            )
            return (times[0] - times[1]) / (2 * times[2] + 25 * times[3])
        }
    }

    private static func add(
        _ id: String,
        to suite: inout BenchmarkSuite,
        _ regressions: RegressionOptions? = nil,
        _ choose: @escaping @Sendable (Clients) -> AnyTally
    ) {
        let body: @Sendable (Clients, Int) async -> Void = { clients, iterations in
            let client = choose(clients)
            for _ in 0..<iterations { try? await client.process(.increment) }
        }
        suite.addAsync(id, fixture: { try await Clients.make(try Telemetry(regressions: regressions)) }, body)
    }

    /// A client, and the client that an orchestrator gives to contexts.
    private struct Clients: Sendable {
        /// Lives as long as what it made.
        let orchestrator: Orchestrator
        let bare: TallyClient
        let resolved: AnyTally

        private struct Missing: Error {}

        @MainActor
        static func make(_ telemetry: Telemetry) async throws -> Clients {
            let bare = Lock<TallyClient?>(nil)
            let orchestrator = Orchestrator(instrumentation: telemetry)
            orchestrator.register(TallyClient.self) { scope in
                let client = TallyClient(scope)
                bare.withLock { $0 = client }
                return client
            }
            orchestrator.register(ProbeContext.self) { try ProbeContext($0) }
            try await orchestrator.start()
            let resolved = try orchestrator.makeContext(ProbeContext.self).client
            guard let client = bare.withLock({ $0 }) else { throw Missing() }
            try await resolved.processFirst(.increment)
            return Clients(orchestrator: orchestrator, bare: client, resolved: resolved)
        }
    }
}

extension StatelessClient {
    /// Processes actions until each histogram has a value, the first of which allocates. The wait of one action in 64 is
    /// timed.
    nonisolated func processFirst(_ action: ActionType) async throws {
        for _ in 0..<2_000 { _ = try await process(action) }
    }
}

/// Keeps the client that an orchestrator gives to contexts.
@MainActor
@Observable
final class ProbeContext: Context {
    nonisolated let identity: ComponentIdentity
    let client: any Client<TallyClient.State, TallyClient.Action>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(TallyClient.self)
    }
}

/// The least a client can do, so that what surrounds the call is what is measured.
actor TallyClient: Client, Component {
    struct State: OwnedState {
        var count = 0
    }

    enum Action: Axiom.Action {
        case increment

        static let caseNames = ["increment"]

        var caseIndex: Int { 0 }
    }

    nonisolated let identity: ComponentIdentity
    nonisolated let stateStream: StateStream<State>
    private(set) var state = State()

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        stateStream = scope.store(State()).stream
    }

    func process(_ action: Action) {
        state.count &+= 1
    }
}

/// A wrapper that does nothing: what any wrapper costs at least.
actor EmptyWrapper<Wrapped: Client>: Client {
    private let wrapped: Wrapped

    init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws -> Wrapped.ActionType.Answer {
        try await wrapped.process(action)
    }
}
