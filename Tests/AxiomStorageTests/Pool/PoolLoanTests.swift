// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomStorage

/// Does not know whether it is valid: it is, the first time that it is asked.
private final class CheckedConnection: PooledConnection {
    let checks = Lock(0)

    var isValid: Bool {
        get async {
            checks.withLock { count in
                count += 1
                return count == 1
            }
        }
    }

    func close() async {}
}

@Suite("Loans of idle connections", .timeLimit(.minutes(10)))
struct PoolLoanTests {
    private let server = PoolServer()
    private let time = ManualTime()

    private func pool(limit: Int) throws -> ConnectionPool<PoolConnection> {
        try ConnectionPool("db", limit: limit, clock: .manual(time)) { [server] in try await server.open() }
    }

    @Test("A call that must not wait gets an idle connection, and fails at once if there is none (CLI-16)")
    func noWait() async throws {
        let pool = try pool(limit: 1)
        let none = await #expect(throws: PoolError.self) { try await pool.withConnection(within: .zero) { _ in } }
        #expect(none?.code == .poolTimedOut)
        await eventually { pool.counts[.idle] == 1 }
        #expect(try await pool.withConnection(within: .zero) { $0.number } == 1)
        #expect(try await pool.withConnection(within: .seconds(-1)) { $0.number } == 1)
        server.change { $0.checkGate = OneShot() }
        await #expect(throws: PoolError.self) { try await pool.withConnection(within: .zero) { _ in } }
        #expect(pool.counts[.checking] == 1 && pool.counts.timedOut == 2 && pool.counts.waiters == 0)
        server.now.checkGate?.settle(())
    }

    @Test("A connection that knows whether it is valid is not asked to check itself (CLI-16)")
    func knownValidity() async throws {
        let pool = try pool(limit: 2)
        let first = try await pool.withConnection { $0 }
        server.change { $0.checkGate = OneShot() }
        first.knows(true)
        #expect(try await pool.withConnection { $0 } === first)
        first.knows(false)
        #expect(try await pool.withConnection { $0 } !== first)
        await eventually { pool.counts.closed == 1 }
        #expect(first.closings == 1)
    }

    @Test("A connection that does not know whether it is valid is asked before each reuse (CLI-16)")
    func unknownValidity() async throws {
        let pool = try ConnectionPool("db", limit: 2, clock: .manual(time)) { CheckedConnection() }
        let first = try await pool.withConnection { $0 }
        #expect(first.checks.withLock { $0 } == 0)
        #expect(try await pool.withConnection { $0 } === first)
        #expect(try await pool.withConnection { $0 } !== first)
        #expect(first.checks.withLock { $0 } == 2)
    }

    @Test("A pool full of broken connections replaces them without a call inside of a call for each (CLI-16)")
    func allBroken() async throws {
        let (server, limit) = (server, 20_000)
        let core = try PoolCore("db", limit: limit, owner: nil, clock: .manual(time), .init()) {
            try await server.open()
        }
        for knows in [false, true] {
            var leases: [PoolCore.Machine.Lease] = []
            for _ in 0..<limit { leases.append(try await core.acquire(within: nil, isolation: nil)) }
            for lease in leases {
                let connection = lease.connection as? PoolConnection
                if knows { connection?.knows(false) } else { connection?.breakDown() }
                core.giveBack(lease, isSuspect: false)
            }
            #expect(core.counts[.idle] == limit)
            core.giveBack(try await core.acquire(within: nil, isolation: nil), isSuspect: true)
        }
        try await core.close(within: .seconds(60))
        #expect(core.counts.created == 2 * limit + 1 && core.counts.closed == 2 * limit + 1)
    }
}
