// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("The checks of a connection pool", .timeLimit(.minutes(10)))
struct PoolCheckTests {
    private let server = PoolServer()
    private let time = ManualTime()

    private func pool(
        limit: Int,
        _ configure: (inout ConnectionPoolConfiguration) -> Void
    ) throws -> ConnectionPool<PoolConnection> {
        try ConnectionPool("db", limit: limit, clock: .manual(time), configure: configure) { [server] in
            try await server.open()
        }
    }

    @Test("A check that does not end is given up at its limit, and the call that waits gets another connection")
    func hungCheck() async throws {
        let pool = try pool(limit: 1) { $0.acquireTimeout = .seconds(5) }
        let first = try await pool.withConnection { $0 }
        let gate = OneShot<Void>()
        server.change { $0.checkGate = gate }
        let call = Task { try await pool.withConnection { $0.number } }
        await eventually { pool.counts.waiters == 1 }
        // The sweep, the limit of the call, and the limit of the check: half of that.
        await time.waitForSleepers(3)
        time.advance(by: .milliseconds(2_500))
        #expect(try await call.value == 2 && first.closings == 1)
        gate.settle(())
        #expect(try await pool.withConnection { $0.number } == 2, "the late answer changes nothing")
        #expect(pool.counts.created == 2 && pool.counts.closed == 1)
        try await pool.close()
    }

    @Test("Checks that never return keep no call from the idle connections")
    func hungChecks() async throws {
        let pool = try pool(limit: 9) { $0.acquireTimeout = .seconds(4) }
        let ends = (0..<8).map { _ in OneShot<Void>() }
        let holders = ends.map { end in Task { try await pool.withConnection { _ in await end.value } } }
        await eventually { pool.counts.acquired == 8 }
        for end in ends { end.settle(()) }
        for holder in holders { try await holder.value }
        let gate = OneShot<Void>()
        server.change { $0.checkGate = gate }
        let call = Task { try await pool.withConnection { $0.number } }
        // Before that the check would find no gate, and end.
        await eventually { pool.counts.waiters == 1 && server.now.heldChecks == 1 }
        server.change { $0.checkGate = nil }
        await time.waitForSleepers(3)
        time.advance(by: .seconds(2))
        #expect((1...8).contains(try await call.value), "an idle connection, whose check ends")
        gate.settle(())
        try await pool.close()
    }

    @Test("After a call that failed a connection is checked, whatever checkAfter says", arguments: [false, true])
    func suspect(isKnown: Bool) async throws {
        struct Broken: Error {}
        let pool = try pool(limit: 1) { $0.checkAfter = .seconds(1) }
        var failures = 0
        for _ in 0..<200 {
            do {
                try await pool.withConnection { connection in
                    if isKnown { connection.knows(connection.number > 1) }
                    guard connection.number > 1 else {
                        connection.breakDown()
                        throw Broken()
                    }
                }
            } catch is Broken {
                failures += 1
            }
        }
        #expect(failures == 1 && pool.counts.created == 2 && pool.counts.acquired == 200)
    }

    @Test("A connection that passed the check after a failed call is reused without one")
    func cleared() async throws {
        let pool = try pool(limit: 1) { $0.checkAfter = .seconds(1) }
        _ = try? await pool.withConnection { _ in throw CancellationError() }
        let first = try await pool.withConnection { $0 }
        first.breakDown()
        #expect(try await pool.withConnection { $0 } === first && pool.counts.created == 1)
    }
}
