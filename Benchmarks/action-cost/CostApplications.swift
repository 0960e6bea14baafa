// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomBenchmarking
internal import AxiomInstrumentation
internal import Observation

/// The applications whose actions are measured.
struct Applications: Sendable {
    let full: Application
    let withoutSpans: Application
    let unobserved: Application
    let middleware: Application
    let threeMiddlewares: Application

    static func make() async throws -> Applications {
        try await Applications(
            full: .make(Telemetry()),
            withoutSpans: .make(Telemetry(flightRecorder: .off)),
            unobserved: .make(nil),
            middleware: .make(Telemetry(), middleware: 1),
            threeMiddlewares: .make(Telemetry(), middleware: 3)
        )
    }
}

/// One application: its clients as a context gets them.
struct Application: Sendable {
    /// Nil if nothing observes it.
    let telemetry: Telemetry?
    /// Lives as long as what it made.
    private let orchestrator: Orchestrator
    let bare: PlainClient
    let caller: CallingClient
    let context: CostContext

    var plain: any StatelessClient<CostAction> { context.plain }
    var bound: any StatelessClient<CostAction> { context.bound }
    var validated: any StatelessClient<ValidatedClient.Action> { context.validated }

    private struct Missing: Error {}

    @MainActor
    static func make(_ telemetry: Telemetry?, middleware: Int = 0) async throws -> Application {
        let orchestrator = telemetry.map { Orchestrator(instrumentation: $0) } ?? Orchestrator()
        let made = Lock<(bare: PlainClient?, caller: CallingClient?)>((nil, nil))
        orchestrator.register(CountingCapability.self) { CountingCapability($0) }
        orchestrator.register(PlainClient.self) { scope in
            let client = PlainClient(scope)
            made.withLock { $0.bare = client }
            return client
        }
        orchestrator.register(CallingClient.self) { scope in
            let client = try CallingClient(scope)
            made.withLock { $0.caller = client }
            return client
        }
        orchestrator.register(ValidatedClient.self) { ValidatedClient($0) }
        orchestrator.register(CostContext.self) { try CostContext($0) }
        for _ in 0..<middleware { orchestrator.use(PassOn(), for: PlainClient.self) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(CostContext.self)
        guard let bare = made.withLock({ $0.bare }), let caller = made.withLock({ $0.caller }) else { throw Missing() }
        return Application(
            telemetry: telemetry,
            orchestrator: orchestrator,
            bare: bare,
            caller: caller,
            context: context
        )
    }
}

/// What all clients do.
enum CostAction: Axiom.Action {
    case increment

    static let caseNames = ["increment"]

    var caseIndex: Int { 0 }
}

/// The least that a client can do.
actor PlainClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private var count = 0

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: CostAction) { count &+= 1 }
}

/// The same in a client that resolved a capability. ``call(_:)`` calls it.
actor CallingClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let capability: CapabilityRef<CountingCapability>
    private var count = 0

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        capability = try scope.capability(CountingCapability.self)
    }

    func process(_ action: CostAction) { count &+= 1 }

    func call(_ calls: Int) async {
        for _ in 0..<calls { try? await capability.call { await $0.increment() } }
    }
}

actor CountingCapability: Capability {
    nonisolated let identity: ComponentIdentity
    private var count = 0

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func increment() { count &+= 1 }
}

/// The same as ``PlainClient``, with a validation.
actor ValidatedClient: StatelessClient, Component {
    enum Action: Axiom.Action {
        case increment(Int)

        static let caseNames = ["increment"]

        var caseIndex: Int { 0 }

        func validate() throws(ValidationError) {
            if case .increment(let step) = self, step < 0 { throw .actionRefused("the step is negative") }
        }
    }

    nonisolated let identity: ComponentIdentity
    private var count = 0

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: Action) { count &+= 1 }
}

/// Holds the clients, and sends itself actions that do nothing: a call of a client would change the thread.
@MainActor
@Observable
final class CostContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let plain: any StatelessClient<CostAction>
    @ObservationIgnored let bound: any StatelessClient<CostAction>
    @ObservationIgnored let validated: any StatelessClient<ValidatedClient.Action>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        plain = try scope.client(PlainClient.self)
        bound = try scope.client(CallingClient.self)
        validated = try scope.client(ValidatedClient.self)
    }

    func handle(_ action: CostAction) async throws {}

    /// Handles actions without `send`.
    func repeatHandle(_ calls: Int) async {
        let context: any CostHandler = opaque(self)
        for _ in 0..<calls { try? await context.handle(.increment) }
    }

    func repeatSend(_ calls: Int) async {
        for _ in 0..<calls { await send(.increment) }
    }
}

/// Hides from the compiler which context handles an action.
@MainActor
protocol CostHandler {
    func handle(_ action: CostAction) async throws
}

extension CostContext: CostHandler {}

private struct PassOn: Middleware {
    nonisolated(nonsending) func process(_ call: CostAction, next: MiddlewareNext<CostAction, Void>) async throws {
        try await next(call)
    }
}

/// A wrapper that does nothing: what any wrapper costs at least.
actor EmptyWrapper<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped

    init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws -> Wrapped.ActionType.Answer {
        try await wrapped.process(action)
    }
}
