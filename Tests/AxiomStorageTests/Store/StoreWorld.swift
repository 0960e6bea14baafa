// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation

@testable import AxiomStorage

struct NoteState: OwnedState, Codable {
    var text = ""
    var count = 0
}

enum NoteAction: Action { case write(String) }

/// What the stores of a ``NoteClient`` are made with.
struct NotePlan: Sendable {
    var delay = Duration.milliseconds(100)
    var version = 1
    var migrations: [StateMigration] = []
    var loads = true
    var onDeactivate: @Sendable (NoteClient) -> Void = { _ in }
}

actor NoteClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let store: PersistentStore<NoteState>
    private let plan: NotePlan
    private(set) var loaded: LoadedPersistentState?

    init(_ scope: borrowing ClientScope, _ plan: NotePlan) throws {
        identity = scope.identity
        self.plan = plan
        store = scope.persistentStore(
            NoteState(),
            "note",
            in: try scope.capability(FaultyCapability.self),
            version: plan.version,
            durability: .coalesced(plan.delay),
            migrate: plan.migrations
        )
    }

    func activate() async throws { if plan.loads { loaded = try await store.load() } }
    func deactivate() { plan.onDeactivate(self) }
    var state: NoteState { store.state }
    nonisolated var stateStream: StateStream<NoteState> { store.stream }
    func process(_ action: NoteAction) { if case .write(let text) = action { store.update { $0.text = text } } }
}

/// A client whose states are durable before they are published, in a storage that is known by its protocol.
actor LedgerClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let store: DurableStore<NoteState>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        store = scope.persistentStore(NoteState(), "ledger", in: storage, durability: .beforePublishing)
    }

    func activate() async throws { try await store.load() }
    var state: NoteState { store.state }
    nonisolated var stateStream: StateStream<NoteState> { store.stream }
    func process(_ action: NoteAction) {}
}

/// An application with one client that has a persistent state, a manual clock and a faulty storage.
@MainActor
final class StoreWorld {
    let time = ManualTime()
    let storage: FaultyStorage
    let orchestrator: Orchestrator
    private let made = Lock<[any StatelessClient & Component]>([])

    init(
        _ values: [StorageKey: Data] = [:],
        instrumentation: any Instrumentation = Instrumentations(),
        isLive: Bool = false
    ) {
        let storage = FaultyStorage(values)
        self.storage = storage
        orchestrator = Orchestrator(instrumentation: instrumentation, clock: isLive ? .live : .manual(time))
    }

    static func note(
        _ plan: NotePlan = NotePlan(),
        _ values: [StorageKey: Data] = [:],
        instrumentation: any Instrumentation = Instrumentations(),
        isLive: Bool = false
    ) async throws -> StoreWorld {
        let world = StoreWorld(values, instrumentation: instrumentation, isLive: isLive)
        world.orchestrator.register(FaultyCapability.self) { [storage = world.storage] in FaultyCapability($0, storage)
        }
        world.orchestrator.register(NoteClient.self) { [world] scope in
            let client = try NoteClient(scope, plan)
            world.made.withLock { $0.append(client) }
            return client
        }
        try await world.orchestrator.start()
        return world
    }

    static func ledger(_ values: [StorageKey: Data] = [:], isLive: Bool = false) async throws -> StoreWorld {
        let world = StoreWorld(values, isLive: isLive)
        world.orchestrator.register(FaultyCapability.self, as: (any KeyValueStorage).self) {
            [storage = world.storage] in FaultyCapability($0, storage)
        }
        world.orchestrator.register(LedgerClient.self) { [world] scope in
            let client = try LedgerClient(scope)
            world.made.withLock { $0.append(client) }
            return client
        }
        try await world.orchestrator.start()
        return world
    }

    var clients: [NoteClient] { made.withLock { $0 }.compactMap { $0 as? NoteClient } }
    var store: PersistentStore<NoteState> { clients[clients.count - 1].store }
    var ledger: DurableStore<NoteState> {
        get throws {
            guard let client = made.withLock({ $0 }).last as? LedgerClient else { throw CancellationError() }
            return client.store
        }
    }

    /// The stored state of a key, without its first line.
    func stored(_ key: StorageKey = "note") -> NoteState? {
        guard let data = storage.memory.contents[key],
            case .state(let state, _) = StateFormat(version: 99, Self.upgrades).decode(NoteState.self, data)
        else { return nil }
        return state
    }

    private static let upgrades = (1..<99).map { StateMigration(from: $0) { $0 } }

    nonisolated static func bytes(_ version: Int, _ json: String) -> Data {
        Data("{\"axiom\":1,\"version\":\(version)}\n\(json)".utf8)
    }

    /// The errors that ended at the orchestrator, by code.
    var codes: [String] {
        orchestrator.errorBoundary.history.map { ($0.error as? any AxiomError)?.code.rawValue ?? "\($0.error)" }
    }

    /// Waits until this many errors have ended at the orchestrator.
    func waitForErrors(_ count: Int) async {
        while orchestrator.errorBoundary.count < count { await Task.yield() }
    }

    /// Waits until a condition holds that tasks of the store bring about.
    func wait(until condition: @MainActor () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}
