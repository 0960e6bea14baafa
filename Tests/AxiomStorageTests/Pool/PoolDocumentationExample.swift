// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/pools-and-tasks.md. A test compares the two.
import Axiom
import AxiomStorage

/// A connection to a database.
final class OrderConnection: PooledConnection {
    let isOpen = true

    static func open() async throws -> OrderConnection { OrderConnection() }

    var isValid: Bool { isOpen }
    func count() async throws -> Int { 12 }
    func close() async {}
}

/// Counts orders over at most ten connections.
actor OrderDatabase: Capability {
    nonisolated let identity: ComponentIdentity
    private let pool: ConnectionPool<OrderConnection>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        pool = try ConnectionPool("orders", limit: 10, owner: scope.identity) {
            $0.acquireTimeout = .seconds(2)
        } make: {
            try await OrderConnection.open()
        }
    }

    func orders() async throws -> Int {
        try await pool.withConnection { try await $0.count() }
    }

    func terminate() async {
        do { try await pool.close() } catch { print(error) }
    }
}

/// Refreshes the number of orders every minute, as long as the application runs.
actor OrderStatistics: Capability {
    nonisolated let identity: ComponentIdentity
    private let database: CapabilityRef<OrderDatabase>
    private let tasks: CapabilityRef<BackgroundTasks>
    private(set) var orders = 0

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        database = try scope.capability(OrderDatabase.self)
        tasks = try scope.capability(BackgroundTasks.self)
    }

    func initialize() async throws {
        try await tasks.call { tasks in
            try await tasks.schedule("orders", every: .seconds(60)) { [weak self] in try await self?.refresh() }
        }
    }

    private func refresh() async throws {
        orders = try await database.call { try await $0.orders() }
    }
}

@MainActor
func registerOrders(in orchestrator: Orchestrator) {
    orchestrator.register(BackgroundTasks.self) { BackgroundTasks($0) }
    orchestrator.register(OrderDatabase.self) { try OrderDatabase($0) }
    orchestrator.register(OrderStatistics.self) { try OrderStatistics($0) }
}
