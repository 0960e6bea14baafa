// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("The signals of a connection pool", .timeLimit(.minutes(10)))
@MainActor
struct PoolSignalsTests {
    private actor Owner: Capability {
        nonisolated let identity: ComponentIdentity
        nonisolated let pool: ConnectionPool<PoolConnection>

        init(_ scope: borrowing CapabilityScope, _ server: PoolServer, _ clock: TimeSource) throws {
            identity = scope.identity
            pool = try ConnectionPool("db", limit: 2, owner: scope.identity, clock: clock) {
                $0.idleLimit = .seconds(60)
            } make: {
                try await server.open()
            }
        }
    }

    @Test("A pool shows its connections by state, its waiters, waits and closings, and ends at 0 (CLI-16)")
    func signals() async throws {
        let (values, server, time) = (SignalValues(), PoolServer(), ManualTime())
        let pools = Journal<ConnectionPool<PoolConnection>>()
        let orchestrator = Orchestrator(instrumentation: Instrumentations(values))
        orchestrator.register(Owner.self) { scope in
            let owner = try Owner(scope, server, .manual(time))
            pools.write(owner.pool)
            return owner
        }
        try await orchestrator.start()
        let pool = pools.entries[0]
        for state in ["creating", "checking", "idle", "in_use", "closing"] {
            #expect(values["axiom_pool_connections db \(state)"] == 0)
        }
        for reason in ["idle", "age", "invalid", "shutdown"] {
            #expect(values["axiom_pool_closed_total db \(reason)"] == 0)
        }
        try await pool.withConnection { first in
            try await pool.withConnection { _ in
                #expect(values["axiom_pool_connections db in_use"] == 2)
                let waiter = Task { try await pool.withConnection { _ in } }
                await eventually { values["axiom_pool_waiters db"] == 1 }
                waiter.cancel()
                _ = await waiter.result
            }
            first.breakDown()
        }
        #expect(values["axiom_pool_waiters db"] == 0 && values["axiom_pool_wait_seconds db"] == 2)
        #expect(values["axiom_pool_connections db idle"] == 2)
        try await pool.withConnection { _ in }
        #expect(values["axiom_pool_closed_total db invalid"] == 1)
        await eventually { values["axiom_pool_connections db closing"] == 0 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(60))
        await eventually { values["axiom_pool_closed_total db idle"] == 1 }
        try await pool.withConnection { _ in }
        try await pool.close()
        #expect(values["axiom_pool_closed_total db shutdown"] == 1)
        for state in ["creating", "checking", "idle", "in_use", "closing"] {
            #expect(values["axiom_pool_connections db \(state)"] == 0)
        }
        await orchestrator.shutdown()
    }
}
#endif
