// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBenchmarking
import AxiomInstrumentation
import Observation

/// What middleware and validation add to an action. Compare the allocations with those of `client.instrumented`: a chain
/// adds none.
enum MiddlewareRows {
    private typealias AnyTill = any StatelessClient<TillClient.Action>

    static func add(to suite: inout BenchmarkSuite) {
        add("client.middleware.one", to: &suite) { $0.use(PassOn()) }
        add("client.middleware.three", to: &suite) {
            $0.use(PassOn())
            $0.use(PassOn())
            $0.use(PassOnAction(), for: TillClient.self)
        }
        add("client.validated", to: &suite) { _ in }
    }

    private static func add(
        _ id: String,
        to suite: inout BenchmarkSuite,
        _ prepare: @escaping @MainActor @Sendable (Orchestrator) -> Void
    ) {
        let body: @Sendable (Application, Int) async -> Void = { application, iterations in
            let client: AnyTill = application.client
            for _ in 0..<iterations { try? await client.process(.pay(1)) }
        }
        suite.addAsync(id, fixture: { try await Application.make(prepare) }, body)
    }

    private struct Application: Sendable {
        /// Lives as long as what it made.
        let orchestrator: Orchestrator
        let client: any StatelessClient<TillClient.Action>

        @MainActor
        static func make(_ prepare: @MainActor (Orchestrator) -> Void) async throws -> Application {
            let orchestrator = Orchestrator(instrumentation: try Telemetry())
            orchestrator.register(TillClient.self) { TillClient($0) }
            orchestrator.register(TillContext.self) { try TillContext($0) }
            prepare(orchestrator)
            try await orchestrator.start()
            let client = try orchestrator.makeContext(TillContext.self).client
            try await client.processFirst(.pay(1))
            return Application(orchestrator: orchestrator, client: client)
        }
    }
}

private struct PassOn: Middleware {
    nonisolated(nonsending) func process(_ call: ActionCall, next: MiddlewareNext<ActionCall, Void>) async throws {
        try await next(call)
    }
}

private struct PassOnAction: Middleware {
    nonisolated(nonsending) func process(
        _ action: TillClient.Action,
        next: MiddlewareNext<TillClient.Action, Void>
    ) async throws {
        try await next(action)
    }
}

/// A client whose actions are validated.
private actor TillClient: StatelessClient, Component {
    enum Action: Axiom.Action {
        case pay(Int)

        static let caseNames = ["pay"]

        var caseIndex: Int { 0 }

        func validate() throws(ValidationError) {
            if case .pay(let cents) = self, cents < 0 { throw .actionRefused("the amount is negative") }
        }
    }

    nonisolated let identity: ComponentIdentity
    private var sum = 0

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    func process(_ action: Action) {
        if case .pay(let cents) = action { sum &+= cents }
    }
}

@MainActor
@Observable
private final class TillContext: Context {
    nonisolated let identity: ComponentIdentity
    let client: any StatelessClient<TillClient.Action>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(TillClient.self)
    }
}
