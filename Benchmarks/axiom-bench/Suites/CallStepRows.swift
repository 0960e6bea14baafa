// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import Observation

/// What each step around an action adds to it, in atomic additions of the same run.
enum CallStepRows {
    static func add(to suite: inout BenchmarkSuite) {
        add("client.validation", 8, "beyond the same client without a validation", to: &suite) {
            let (plain, checked) = (try await till(CoinAction.self), try await till(CheckedCoinAction.self))
            return try await added(
                { for _ in 0..<$0 { try? await checked.process(.init(cents: 1)) } },
                { for _ in 0..<$0 { try? await plain.process(.init(cents: 1)) } }
            )
        }
        addMiddleware("client.middleware.first", steps: 0, to: &suite)
        addMiddleware("client.middleware.second", steps: 1, to: &suite)
        addMiddleware("client.middleware.third", steps: 2, to: &suite)
        add("client.unobserved", 3, "beyond an empty wrapper", to: &suite) {
            let bare = Lock<TillClient<CoinAction>?>(nil)
            let client = try await context(Orchestrator()) { client in bare.withLock { $0 = client } }.client
            guard let made = bare.withLock({ $0 }) else { throw Missing() }
            let empty: any StatelessClient<CoinAction> = EmptyTill(made)
            return try await added(
                { for _ in 0..<$0 { try? await client.process(.init(cents: 1)) } },
                { for _ in 0..<$0 { try? await empty.process(.init(cents: 1)) } }
            )
        }
        addSend("context.send", measured: 626, { Orchestrator(instrumentation: try Telemetry()) }, to: &suite)
        addSend("context.send.unobserved", measured: 446, { Orchestrator() }, to: &suite)
    }

    /// What one more middleware adds to a client that already has `steps` of them.
    private static func addMiddleware(_ id: String, steps: Int, to suite: inout BenchmarkSuite) {
        add(id, 20, measured: 50, "beyond the same client without this middleware", to: &suite) {
            let less = try await till(CoinAction.self, steps)
            let more = try await till(CoinAction.self, steps + 1)
            return try await added(
                { for _ in 0..<$0 { try? await more.process(.init(cents: 1)) } },
                { for _ in 0..<$0 { try? await less.process(.init(cents: 1)) } }
            )
        }
    }

    private static func addSend(
        _ id: String,
        measured: Double,
        _ orchestrator: @escaping @MainActor @Sendable () throws -> Orchestrator,
        to suite: inout BenchmarkSuite
    ) {
        add(id, 100, measured: measured, "beyond the call of the action", to: &suite) {
            let context: TillContext<CoinAction> = try await context(try orchestrator())
            return try await added(
                { @MainActor count in for _ in 0..<count { await context.send(.init(cents: 1)) } },
                { @MainActor count in for _ in 0..<count { try? await context.handle(.init(cents: 1)) } }
            )
        }
    }

    private static func add(
        _ id: String,
        _ limit: Double,
        measured: Double? = nil,
        _ what: String,
        to suite: inout BenchmarkSuite,
        _ measure: @escaping @Sendable () async throws -> Double
    ) {
        var goal = BenchmarkGoal.atMost(limit, "atomic additions \(what)")
        if let measured { goal = goal.held(at: measured) }
        suite.addValue("\(id).added", unit: "additions", kind: .information, options: .goal(goal), measure)
    }

    private static func added(
        _ work: @escaping @Sendable (Int) async -> Void,
        _ base: @escaping @Sendable (Int) async -> Void
    ) async throws -> Double {
        let total = Total()
        let times = try await Turns.times(
            rounds: 101,
            iterations: 5_000,
            [work, base, { for _ in 0..<$0 { total.add() } }]
        )
        return (times[0] - times[1]) / times[2]
    }

    /// A client as contexts see it, recorded by telemetry and with `steps` middleware.
    private static func till<A: TillAction>(_ type: A.Type, _ steps: Int = 0) async throws -> any StatelessClient<A> {
        let orchestrator = await Orchestrator(instrumentation: try Telemetry(flightRecorder: .off))
        for _ in 0..<steps { await orchestrator.use(PassOn()) }
        return try await context(orchestrator).client
    }

    @MainActor
    private static func context<A: TillAction>(
        _ orchestrator: Orchestrator,
        _ made: @escaping @Sendable (TillClient<A>) -> Void = { _ in }
    ) async throws -> TillContext<A> {
        orchestrator.register(TillClient<A>.self) { scope in
            let client = TillClient<A>(scope)
            made(client)
            return client
        }
        orchestrator.register(TillContext<A>.self) { try TillContext<A>($0) }
        try await orchestrator.start()
        return try orchestrator.makeContext(TillContext<A>.self)
    }

    private struct Missing: Error {}
}

private struct PassOn: Middleware {
    nonisolated(nonsending) func process(_ call: ActionCall, next: MiddlewareNext<ActionCall, Void>) async throws {
        try await next(call)
    }
}

private protocol TillAction: Action where Answer == Void {
    var cents: Int { get }
}

private struct CoinAction: TillAction {
    static let caseNames = ["pay"]
    let cents: Int
    var caseIndex: Int { 0 }
}

private struct CheckedCoinAction: TillAction {
    static let caseNames = ["pay"]
    let cents: Int
    var caseIndex: Int { 0 }

    func validate() throws(ValidationError) {
        if cents < 0 { throw .actionRefused("the amount is negative") }
    }
}

private actor TillClient<A: TillAction>: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private var sum = 0

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    func process(_ action: A) { sum &+= action.cents }
}

private actor EmptyTill<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped

    init(_ wrapped: Wrapped) {
        self.wrapped = wrapped
    }

    nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws -> Wrapped.ActionType.Answer {
        try await wrapped.process(action)
    }
}

@MainActor
@Observable
private final class TillContext<A: TillAction>: Context {
    nonisolated let identity: ComponentIdentity
    let client: any StatelessClient<A>
    @ObservationIgnored private var sum = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(TillClient<A>.self)
    }

    func handle(_ action: A) async throws { sum &+= action.cents }
}
