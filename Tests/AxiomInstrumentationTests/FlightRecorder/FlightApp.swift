// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomSampleApp
import Observation
import Synchronization

/// What an action does; a test decides.
typealias Flight = @MainActor @Sendable (FlightContext) async throws -> Void

/// Ends a loop of another task.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}

/// A capability that runs what a test passes.
actor FlightCapability: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    func use(_ work: Work) async throws { try await work() }
}

/// A client that resolved a capability, so that each of its actions binds a span.
actor BindingClient: StatelessClient, Component {
    enum Action: Axiom.Action {
        /// Runs the work in the client.
        case run(Work)
        /// Runs the work in the capability.
        case call(Work)

        static let caseNames = ["run", "call"]
        var caseIndex: Int { if case .run = self { 0 } else { 1 } }
    }

    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<FlightCapability>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        capability = try scope.capability(FlightCapability.self)
    }

    func process(_ action: Action) async throws {
        switch action {
        case .run(let work): try await work()
        case .call(let work): try await capability.call { try await $0.use(work) }
        }
    }
}

/// A client without a capability, so that its actions bind nothing.
actor LeafClient: StatelessClient, Component {
    /// One of eight cases. Each carries the span that has to be its parent.
    struct Action: Axiom.Action {
        let caseIndex: Int
        var work: Work = {}

        static let caseNames = (0..<8).map { "leaf\($0)" }
    }

    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    func process(_ action: Action) async throws { try await action.work() }
}

/// A client with a state.
actor CountClient: Client, Component {
    struct Count: OwnedState { var value = 0 }
    enum Action: Axiom.Action {
        case add
        /// An update inside an update, which is an error.
        case nest
    }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<Count>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(Count())
    }

    var state: Count { store.state }
    nonisolated var stateStream: StateStream<Count> { store.stream }

    func process(_ action: Action) {
        store.update { state in
            state.value += 1
            if action == .nest { store.update { $0.value += 1 } }
        }
    }
}

struct FlightAction: Axiom.Action {
    let run: Flight

    init(_ run: @escaping Flight) { self.run = run }

    static let caseNames = ["run"]
    var caseIndex: Int { 0 }
}

@MainActor
@Observable
final class FlightContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let binding: any StatelessClient<BindingClient.Action>
    @ObservationIgnored let leaf: any StatelessClient<LeafClient.Action>
    @ObservationIgnored let counter: any Client<CountClient.Count, CountClient.Action>
    @ObservationIgnored let appear: Flight
    @ObservationIgnored var choose: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }
    var count = 0

    init(_ scope: borrowing ContextScope, _ appear: @escaping Flight) throws {
        identity = scope.identity
        self.appear = appear
        binding = try scope.client(BindingClient.self)
        leaf = try scope.client(LeafClient.self)
        counter = try scope.client(CountClient.self)
    }

    func onAppear() async throws {
        observe(counter) { $0.count = $1.value }
        try await appear(self)
    }

    func handle(_ action: FlightAction) async throws { try await action.run(self) }
    func recovery(for error: any Error) -> RecoveryStrategy { choose(error) }
}

struct FlightView: Presentation {
    let context: FlightContext
    var body: Int { context.count }
}

/// An application whose spans a test reads.
@MainActor
struct FlightApp {
    nonisolated let telemetry: Telemetry
    let orchestrator: Orchestrator

    static func started(
        memory: Int = 4 << 20,
        breakers: [BreakerRule] = [],
        budgets: [BudgetRule] = [],
        clock: TimeSource = .live,
        appear: @escaping Flight = { _ in }
    ) async throws -> FlightApp {
        let telemetry = try Telemetry(
            breakers: breakers,
            budgets: budgets,
            onBudgetViolation: { _ in },
            flightRecorder: FlightRecorderOptions(memory: memory),
            clock: clock
        )
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: clock, limits: .endless)
        orchestrator.register(FlightCapability.self) { FlightCapability($0) }
        orchestrator.register(BindingClient.self) { try BindingClient($0) }
        orchestrator.register(LeafClient.self) { LeafClient($0) }
        orchestrator.register(CountClient.self) { CountClient($0) }
        orchestrator.register(FlightContext.self) { try FlightContext($0, appear) }
        try await orchestrator.start()
        return FlightApp(telemetry: telemetry, orchestrator: orchestrator)
    }

    func context() throws -> FlightContext {
        try orchestrator.makeContext(FlightContext.self)
    }

    /// Sends an action and returns its trace.
    func trace(_ context: FlightContext? = nil, _ run: @escaping Flight) async throws -> KnownTrace? {
        let context = try context ?? self.context()
        var id: TraceID?
        await context.send(
            FlightAction { [telemetry] in
                id = telemetry.currentSpan?.trace
                try await run($0)
            }
        )
        return id.flatMap(telemetry.trace)
    }
}

extension KnownTrace {
    /// The spans of a kind and a name, in the order of their start.
    func all(_ kind: SpanKind, _ name: String? = nil) -> [Span] {
        spans.filter { $0.kind == kind && (name == nil || $0.name == name) }
    }

    /// The only span of a kind and a name; nil if there is none or more than one.
    func only(_ kind: SpanKind, _ name: String? = nil) -> Span? {
        let found = all(kind, name)
        return found.count == 1 ? found[0] : nil
    }

    /// The names of a span and of those above it, the root last.
    func ancestry(_ span: Span?) -> [String] {
        guard let span else { return [] }
        return [span.name] + ancestry(spans.first { $0.id == span.parent })
    }
}
#endif
