// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTracing
import InMemoryTracing
import Observation
import Tracing

typealias Work = @Sendable () async throws -> Void

/// An error with a code.
struct Outage: AxiomError, Hashable {
    var code: ErrorCode { "TEST_OUTAGE_001" }
    var message: String { "The supplier does not answer." }
    var recoverySuggestion: String { "Wait." }
    var suggestedAction: ErrorAction { .retry }
}

actor Depot: Capability {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    func use(_ work: Work) async throws { try await work() }
}

/// A client that resolved a capability.
actor OrderClient: StatelessClient, Component {
    enum Action: Axiom.Action {
        /// Runs the work in the client.
        case run(Work)
        /// Runs the work in the capability.
        case call(Work)

        static let caseNames = ["run", "call"]
        var caseIndex: Int { if case .run = self { 0 } else { 1 } }
    }

    nonisolated let identity: ComponentIdentity
    private let depot: CapabilityRef<Depot>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        depot = try scope.capability(Depot.self)
    }

    func process(_ action: Action) async throws {
        switch action {
        case .run(let work): try await work()
        case .call(let work): try await depot.call { try await $0.use(work) }
        }
    }
}

/// A client without a capability, and with a state.
actor StockClient: Client, Component {
    struct Stock: OwnedState { var value = 0 }

    /// One of eight cases.
    struct Action: Axiom.Action {
        let caseIndex: Int
        var work: Work = {}

        static let caseNames = (0..<8).map { "step\($0)" }
    }

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<Stock>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(Stock())
    }

    var state: Stock { store.state }
    nonisolated var stateStream: StateStream<Stock> { store.stream }

    func process(_ action: Action) async throws {
        try await action.work()
        if action.caseIndex == 7 { store.update { $0.value += 1 } }
    }
}

/// One of eight cases; a test decides what it does.
struct DeskAction: Axiom.Action {
    let caseIndex: Int
    let run: @MainActor @Sendable (DeskContext) async throws -> Void

    static let caseNames = (0..<8).map { "act\($0)" }
}

@MainActor
@Observable
final class DeskContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let orders: any StatelessClient<OrderClient.Action>
    @ObservationIgnored let stock: any Client<StockClient.Stock, StockClient.Action>
    @ObservationIgnored var choose: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }
    /// The context that was bound when a state was observed.
    @ObservationIgnored var observedIn: [ServiceContext?] = []
    var count = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        orders = try scope.client(OrderClient.self)
        stock = try scope.client(StockClient.self)
    }

    func onAppear() async throws {
        observe(stock) {
            $0.count = $1.value
            $0.observedIn.append(ServiceContext.current)
        }
    }

    func handle(_ action: DeskAction) async throws { try await action.run(self) }
    func recovery(for error: any Error) -> RecoveryStrategy { choose(error) }
}

struct DeskView: Presentation {
    let context: DeskContext
    var body: Int { context.count }
}

/// An application whose spans go to a tracer in memory.
@MainActor
struct TracedApp {
    nonisolated let telemetry: Telemetry
    nonisolated let tracer: InMemoryTracer
    let orchestrator: Orchestrator

    /// - Parameter exports: False to record spans without a tracer.
    static func started(
        exports: Bool = true,
        breakers: [BreakerRule] = [],
        clock: TimeSource = .live
    ) async throws -> TracedApp {
        let telemetry = try Telemetry(breakers: breakers, onBudgetViolation: { _ in }, clock: clock)
        let tracer = InMemoryTracer()
        if exports { try telemetry.exportSpans(to: tracer) }
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: clock, limits: .endless)
        orchestrator.register(Depot.self) { Depot($0) }
        orchestrator.register(OrderClient.self) { try OrderClient($0) }
        orchestrator.register(StockClient.self) { StockClient($0) }
        orchestrator.register(DeskContext.self) { try DeskContext($0) }
        try await orchestrator.start()
        return TracedApp(telemetry: telemetry, tracer: tracer, orchestrator: orchestrator)
    }

    func context() throws -> DeskContext {
        try orchestrator.makeContext(DeskContext.self)
    }

    /// Sends an action and returns its trace.
    func trace(
        _ context: DeskContext? = nil,
        _ run: @escaping @MainActor @Sendable (DeskContext) async throws -> Void
    ) async throws -> KnownTrace? {
        let context = try context ?? self.context()
        var id: TraceID?
        await context.send(
            DeskAction(caseIndex: 0) { [telemetry] in
                id = telemetry.currentSpan?.trace
                try await run($0)
            }
        )
        return id.flatMap(telemetry.trace)
    }

    /// The finished spans of the tracer with this name.
    nonisolated func exported(_ name: String) -> [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.operationName == name }
    }
}
#endif
