// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Observation
import Testing

@testable import Axiom

private struct OwnState<Number>: OwnedState { var value = 0 }

/// One of several clients, each with a state type of its own.
private actor OwningClient<Number: Sendable>: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<OwnState<Number>>

    init(_ scope: borrowing ClientScope, _ box: Box<StateStore<OwnState<Number>>>? = nil) {
        identity = scope.identity
        store = scope.store(OwnState())
        box?.put(store)
    }

    var state: OwnState<Number> { store.state }
    nonisolated var stateStream: StateStream<OwnState<Number>> { store.stream }
    func process(_ action: TallyAction) async throws { store.update { $0.value += 1 } }
}

/// A second client of the state of `OwningClient<Int>`.
private actor SharingClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<OwnState<Int>>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(OwnState())
    }

    var state: OwnState<Int> { store.state }
    nonisolated var stateStream: StateStream<OwnState<Int>> { store.stream }
    func process(_ action: TallyAction) async throws {}
}

@MainActor
@Suite("Rule acceptance: the ownership and the lifetime of states", .timeLimit(.minutes(10)))
struct StateOwnershipRules {
    private let orchestrator = Orchestrator(limits: .endless)

    private func refused() async -> CompositionError? {
        await #expect(throws: CompositionError.self) { try await orchestrator.start() }
    }

    @Test("Rule 7: a state type belongs to exactly one client; a second owner is refused at the start (RUL-07)")
    func ownership() async throws {
        orchestrator.register(OwningClient<Int>.self) { OwningClient($0) }
        orchestrator.register(SharingClient.self) { SharingClient($0) }
        let error = await refused()
        #expect(error?.code == .stateOwnedTwice)
        #expect(error?.message.contains("SharingClient") == true)
    }

    @Test("Rule 7: clients with a state type each start, and each changes only its own state (RUL-07)")
    func oneToOne() async throws {
        let (first, second) = (Box<StateStore<OwnState<Int>>>(), Box<StateStore<OwnState<String>>>())
        orchestrator.register(OwningClient<Int>.self) { OwningClient($0, first) }
        orchestrator.register(OwningClient<String>.self) { OwningClient($0, second) }
        try await orchestrator.start()
        first.value?.update { $0.value = 7 }
        #expect(first.value?.state.value == 7 && second.value?.state.value == 0)
    }

    @Test("Rule 9: ten views of one type are alive at the same time, with ten identities (RUL-09)")
    func manyViews() async throws {
        let orchestrator = Orchestrator.scripted(ScriptContext.Script())
        try await orchestrator.start()
        let hosts = (0..<10).map { _ in PresentationHost(ScriptPresentation.self, orchestrator) { _ in } }
        for host in hosts { try await host.mount() }
        #expect(Set(hosts.map(ObjectIdentifier.init)).count == 10)
        #expect(Set(hosts.compactMap { $0.context?.identity.id }).count == 10)
        #expect(Set(hosts.compactMap { $0.context.map(ObjectIdentifier.init) }).count == 10)
    }

    @Test("Rule 10: each of 100 views has a context of its own, which ends with it (RUL-10)")
    func contextPerView() async throws {
        let orchestrator = Orchestrator.scripted(ScriptContext.Script())
        try await orchestrator.start()
        let hosts = (0..<100).map { _ in PresentationHost(ScriptPresentation.self, orchestrator) { _ in } }
        for host in hosts { try await host.mount() }
        let contexts = hosts.compactMap { host in host.context.map { WeakReference($0) } }
        try #require(contexts.count == 100)
        #expect(Set(hosts.compactMap { $0.context.map(ObjectIdentifier.init) }).count == 100)
        for (index, host) in hosts.enumerated() {
            await host.unmount()
            #expect(host.context == nil && contexts[index].object == nil)
            if index + 1 < hosts.count { #expect(hosts[index + 1].context != nil) }
        }
    }

    @Test("Rule 12: over 1,000 mutations there is one state, in one store, and one subscription sees it (RUL-12)")
    func stateSingleton() async throws {
        let box = Box<StateStore<OwnState<Int>>>()
        orchestrator.register(OwningClient<Int>.self) { OwningClient($0, box) }
        try await orchestrator.start()
        let store = try #require(box.value)
        let identity = store.id
        var iterator = store.stream.makeAsyncIterator()
        #expect(try await iterator.next()?.value == 0)
        for number in 1...1_000 {
            store.update { $0.value += 1 }
            #expect(store.id == identity && store.stream.storeID == identity)
            #expect(try await iterator.next()?.value == number)
        }
        #expect(store.version.number == 1_000)
        #expect(box.value === store)
    }
}

private final class SharedBox: Hashable, Sendable {
    static func == (left: SharedBox, right: SharedBox) -> Bool { left === right }
    func hash(into hasher: inout Hasher) {}
}

private struct StateWithClass: OwnedState {
    var name = ""
    // axiom:ignore state-reference The framework refuses such a state.
    var boxes: [String: SharedBox?] = [:]
}

private actor ClassFieldClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<StateWithClass>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(StateWithClass())
    }

    var state: StateWithClass { store.state }
    nonisolated var stateStream: StateStream<StateWithClass> { store.stream }
    func process(_ action: NoAction) async throws {}
}

private final class ObjectAction: Action {}

@MainActor
private final class ObjectContext: Context, Observable {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ContextScope) { identity = scope.identity }
    func handle(_ action: ObjectAction) async throws {}
}

@Suite("Rule acceptance: states and actions are values", .timeLimit(.minutes(10)))
struct ValueRules {
    @Test("Rule 14: 1,000 concurrent mutations leave exactly their sum, and each produced a new state (RUL-14)")
    func atomic() async {
        let store = StateStore(Count())
        var checkpoint = store.stream.checkpoint().states.makeAsyncIterator()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { store.add(.critical) } }
        }
        store.finish()
        #expect(store.state.n == 1_000 && store.version.number == 1_000)
        var seen: [Int] = []
        while let state = try? await checkpoint.next() { seen.append(state.n) }
        #expect(seen == Array(1...1_000))
    }

    @MainActor
    @Test("Rule 17: a class property in a state is refused at the start, with its path (RUL-17)")
    func classProperty() async {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(ClassFieldClient.self) { ClassFieldClient($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .referenceInState)
        #expect(error?.message.contains("boxes is a SharedBox") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("SharedBox") == true)
        #expect(error?.recoverySuggestion.contains("ValueSemantics") == true)
    }

    @MainActor
    @Test("Rule 18: a class as an action is refused at the start (RUL-18)")
    func classAction() async {
        let orchestrator = Orchestrator(limits: .endless)
        orchestrator.register(ObjectContext.self) { ObjectContext($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .referenceType)
        #expect(error?.message.contains("ObjectAction, the action of") == true)
    }
}

@Suite("Rule acceptance: what the compiler refuses about states and actions", .serialized)
struct StateCompileRules {
    private static let state = RuleFixture(
        rule: "A published state is changed in place (rules 14 and 17)",
        source: """

            func change(_ client: CartClient) async {
                var state = await client.state // this line
                state.items += 1
            }
            """,
        violation: "    let state = await client.state",
        diagnostic: "left side of mutating operator isn't mutable: 'state' is a 'let' constant"
    )

    private static let property = RuleFixture(
        rule: "A state has a mutable class as a property (rule 17)",
        source: """

            final class Picture: Hashable {
                var bytes: [UInt8] = []
                static func == (left: Picture, right: Picture) -> Bool { left === right }
                func hash(into hasher: inout Hasher) {}
            }
            struct PictureState: OwnedState {
                var picture = [UInt8]() // this line
            }
            """,
        violation: "    var picture = Picture()",
        diagnostic:
            "stored property 'picture' of 'Sendable'-conforming struct 'PictureState' has non-Sendable type 'Picture'"
    )

    private static let action = RuleFixture(
        rule: "A handler changes its action (rule 18)",
        source: """

            struct RenameAction: Action { var name: String }
            func handle(_ action: RenameAction) -> String {
                var action = action // this line
                action.name = "other"
                return action.name
            }
            """,
        violation: "",
        diagnostic: "cannot assign to property: 'action' is a 'let' constant"
    )

    @Test(
        "A file that breaks rule 14, 17 or 18 does not compile, its twin does (RUL-14, RUL-17, RUL-18)",
        arguments: [state, property, action]
    )
    func refused(fixture: RuleFixture) async throws {
        let compiler = try Compiler()
        let allowed = try await compiler.compile(fixture.allowed)
        #expect(allowed.status == 0, "\(allowed.errors)")
        let forbidden = try await compiler.compile(fixture.forbidden)
        #expect(forbidden.status != 0)
        #expect(forbidden.errors.contains("error: \(fixture.diagnostic)"), "\(forbidden.errors)")
    }
}
