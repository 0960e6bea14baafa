// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

private struct OtherState: OwnedState {
    var value = 0
}

/// A client that makes the stores which a test wants, and publishes one of them.
private actor RuleClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>

    init(_ scope: borrowing ClientScope, _ make: (borrowing ClientScope) -> StateStore<TallyState>) {
        identity = scope.identity
        store = make(scope)
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }

    /// Re-enters its store.
    func process(_ action: TallyAction) async throws {
        store.update { state in
            state.value += 1
            store.update { $0.value += 10 }
        }
        if case .fail(let name) = action { throw SampleError(name) }
    }
}

private actor OtherClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<OtherState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(OtherState())
    }

    var state: OtherState { store.state }
    nonisolated var stateStream: StateStream<OtherState> { store.stream }
    func process(_ action: NoAction) async throws {}
}

private actor HoardingClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<OtherState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(OtherState())
    }

    func process(_ action: NoAction) async throws {}
}

// axiom:ignore state-reference The framework refuses such a state.
private final class ClassState: OwnedState {
    static func == (left: ClassState, right: ClassState) -> Bool { left === right }
    func hash(into hasher: inout Hasher) {}
}

private final class ClassAction: Action {}

private actor ClassClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<ClassState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(ClassState())
    }

    var state: ClassState { store.state }
    nonisolated var stateStream: StateStream<ClassState> { store.stream }
    func process(_ action: ClassAction) async throws {}
}

@MainActor
private final class ClassContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }
    func handle(_ action: ClassAction) async throws {}
}

/// A context that passes its actions on to its client.
@MainActor
private final class RuleContext: Context, Observable {
    nonisolated let identity: ComponentIdentity
    let client: any Client<TallyState, TallyAction>
    var strategy = RecoveryStrategy.surface

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(RuleClient.self)
    }

    func handle(_ action: TallyAction) async throws { try await client.process(action) }
    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

@MainActor
@Suite("The stores of clients", .timeLimit(.minutes(10)))
struct StoreRuleTests {
    private let orchestrator = Orchestrator(limits: .endless)

    private func register(_ make: @escaping @Sendable (borrowing ClientScope) -> StateStore<TallyState>) {
        orchestrator.register(RuleClient.self) { RuleClient($0, make) }
    }

    private func startError() async -> CompositionError? {
        await #expect(throws: CompositionError.self) { try await orchestrator.start() }
    }

    @Test(
        "A client that makes a store of another client's state is refused at the start (CLI-19)",
        arguments: [true, false]
    )
    func foreignState(isFirst: Bool) async {
        if !isFirst { orchestrator.register(OtherClient.self) { OtherClient($0) } }
        register { scope in
            _ = scope.store(OtherState())
            return scope.store(TallyState())
        }
        if isFirst { orchestrator.register(OtherClient.self) { OtherClient($0) } }
        let error = await startError()
        #expect(error?.code == .stateOwnedTwice)
        #expect(error?.message.contains("client RuleClient makes a store of OtherState") == true)
        #expect(error?.message.contains("client OtherClient") == true)
        #expect(!orchestrator.isRunning)
    }

    @Test("A client that makes two stores of its state is refused at the start (STA-03, STA-04)")
    func twoStores() async {
        register { scope in
            _ = scope.store(TallyState())
            return scope.store(TallyState())
        }
        let error = await startError()
        #expect(error?.code == .stateOwnedTwice)
        #expect(error?.message.contains("two stores of its state TallyState") == true)
    }

    @Test("A client without state that makes a store is refused at the start (CLI-19)")
    func stateless() async {
        orchestrator.register(HoardingClient.self) { HoardingClient($0) }
        let error = await startError()
        #expect(error?.code == .storeInStatelessClient)
        #expect(error?.message.contains("client HoardingClient makes a store of OtherState") == true)
    }

    @Test("A client may make a store of a state that is no client's")
    func privateState() async throws {
        register { scope in
            _ = scope.store(OtherState())
            return scope.store(TallyState())
        }
        try await orchestrator.start()
        #expect(orchestrator.errorBoundary.count == 0)
    }

    @Test("A state or an action that is a class is refused at the start, each with its component (STA-02, ACT-01)")
    func classes() async {
        orchestrator.register(ClassClient.self) { ClassClient($0) }
        orchestrator.register(ClassContext.self) { ClassContext($0) }
        let error = await startError()
        #expect(error?.code == .severalMistakes)
        for part in ["ClassState, the state of", "ClassAction, the action of", "ClassClient", "ClassContext"] {
            #expect(error?.message.contains(part) == true, "\(part)")
        }
    }

    @Test("A client that publishes a store which its scope did not make starts, and is reported")
    func outsideScope() async throws {
        register { _ in StateStore(TallyState()) }
        try await orchestrator.start()
        while orchestrator.errorBoundary.count == 0 { await Task.yield() }
        let entry = try #require(orchestrator.errorBoundary.history.first)
        #expect(ErrorCode(of: entry.error) == .storeOutsideScope)
        #expect(entry.origin.name == "RuleClient")
    }

    @Test("An update inside an update ends at the context whose action led to it, which fails; observation goes on")
    func reentry() async throws {
        register { $0.store(TallyState()) }
        let context = try await orchestrator.startForRules()
        let applied = Journal<Int>()
        context.observe(context.client) { _, state in applied.write(state.value) }
        await applied.wait(for: 0)
        for number in 1...3 {
            await context.send(.add(1))
            #expect(context.errorBoundary.count == number)
            #expect((context.errorBoundary.current?.error as? StateError)?.code == .reentrantUpdate)
            #expect(context.errorBoundary.current?.path.map(\.name) == ["RuleClient", "RuleContext"])
            await applied.wait(for: number)
        }
        #expect(await context.client.state.value == 3)
        #expect(orchestrator.errorBoundary.count == 0)
    }

    @Test("An update inside an update is not tried again")
    func reentryIsFinal() async throws {
        register { $0.store(TallyState()) }
        let context = try await orchestrator.startForRules()
        context.strategy = .retry(attempts: 5)
        await context.send(.add(1))
        #expect(await context.client.state.value == 1)
        #expect(context.errorBoundary.count == 1 && context.errorBoundary.recoveredCount == 0)
    }

    @Test("An action that throws after such an update settles both errors")
    func reentryAndError() async throws {
        register { $0.store(TallyState()) }
        let context = try await orchestrator.startForRules()
        await context.send(.fail("no"))
        let codes = context.errorBoundary.history.map { ErrorCode(of: $0.error).rawValue }
        #expect(codes == ["SampleError", ErrorCode.reentrantUpdate.rawValue])
    }

    @Test("An update inside an update ends at the orchestrator where no action of a context led to it")
    func reentryElsewhere() async throws {
        register { $0.store(TallyState()) }
        let context = try await orchestrator.startForRules()
        try await context.client.process(.add(1))
        while orchestrator.errorBoundary.count == 0 { await Task.yield() }
        #expect((orchestrator.errorBoundary.current?.error as? StateError)?.code == .reentrantUpdate)
        #expect(context.errorBoundary.count == 0)
    }

    @Test("An update inside an update in a task that outlives its action ends at the orchestrator")
    func reentryAfterwards() async throws {
        register { $0.store(TallyState()) }
        let context = try await orchestrator.startForRules()
        let (trail, client) = (ErrorTrail(collectsFaults: true), context.client)
        #expect(trail.takeFaults().isEmpty)
        try await trail.run { try await client.process(.add(1)) }
        while orchestrator.errorBoundary.count == 0 { await Task.yield() }
        #expect(orchestrator.errorBoundary.count == 1)
    }
}

extension Orchestrator {
    fileprivate func startForRules() async throws -> RuleContext {
        register(RuleContext.self) { try RuleContext($0) }
        try await start()
        return try makeContext(RuleContext.self)
    }
}
