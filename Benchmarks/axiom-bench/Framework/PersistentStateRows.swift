// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomStorage
import CAxiomCounters
import Foundation

/// What persistence adds to an update of a state, beside ``StateStore/update(_:_:)`` itself. No save happens in the
/// measured time.
enum PersistentStateRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "state.persistent.time",
            statement: "an update of a state that is saved later takes < 3 times as long as of one that is not saved",
            unit: "times",
            limit: 3,
            measure: { try await measured { $0.nanoseconds / $1.nanoseconds } }
        ),
        .init(
            id: "state.persistent.allocations",
            statement: "1,000 updates of a state that waits to be saved add no allocation",
            unit: "allocations",
            limit: 0,
            measure: { try await measured { ($0.allocations - $1.allocations) * 1_000 } }
        ),
    ]

    private struct Cost {
        var nanoseconds: Double
        var allocations: Double
    }

    private struct CountState: OwnedState, Codable { var count = 0 }

    private enum CountAction: Action { case count }

    private actor CountClient: Client, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let store: PersistentStore<CountState>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            let storage = try scope.capability(CountStorage.self)
            store = scope.persistentStore(CountState(), "count", in: storage, durability: .coalesced(.seconds(3_600)))
        }

        func activate() async throws { try await store.load() }
        var state: CountState { store.state }
        nonisolated var stateStream: StateStream<CountState> { store.stream }
        func process(_ action: CountAction) { store.update { $0.count += 1 } }
    }

    private actor CountStorage: Capability, KeyValueStorage {
        nonisolated let identity: ComponentIdentity
        private let memory = MemoryStorage()

        init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
        func data(_ key: StorageKey) async -> Data? { await memory.data(key) }
        func keys(prefix: String) async -> [StorageKey] { await memory.keys(prefix: prefix) }
        func transaction(_ changes: [StorageChange]) async { await memory.transaction(changes) }
    }

    @MainActor
    private static func measured(_ compare: (_ persistent: Cost, _ plain: Cost) -> Double) async throws -> Double {
        let made = Lock<CountClient?>(nil)
        let orchestrator = Orchestrator()
        orchestrator.register(CountStorage.self) { CountStorage($0) }
        orchestrator.register(CountClient.self) { scope in
            let client = try CountClient(scope)
            made.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        guard let client = made.withLock({ $0 }) else { throw CancellationError() }
        let plain = StateStore(CountState())
        // The first change plans the save.
        client.store.update { $0.count += 1 }
        let persistent = cost { client.store.update { $0.count += 1 } }
        let result = compare(persistent, cost { plain.update { $0.count += 1 } })
        await orchestrator.shutdown()
        return result
    }

    /// The cost of one update: the fastest of 20 turns of 10,000.
    private static func cost(of update: () -> Void) -> Cost {
        var best = Cost(nanoseconds: .infinity, allocations: .infinity)
        for _ in 0..<20 {
            let (began, before) = (TimeSource.live.now, axiom_allocation_counts_now().allocations)
            for _ in 0..<10_000 { update() }
            let count = axiom_allocation_counts_now().allocations - before
            best.nanoseconds = min(best.nanoseconds, Double(TimeSource.live.now.nanoseconds(since: began)) / 10_000)
            best.allocations = min(best.allocations, Double(count) / 10_000)
        }
        return best
    }
}
