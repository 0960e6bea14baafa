// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("A connection pool", .timeLimit(.minutes(10)))
struct ConnectionPoolTests {
    private let server = PoolServer()
    private let time = ManualTime()

    private func pool(
        limit: Int = 2,
        _ configure: (inout ConnectionPoolConfiguration) -> Void = { _ in }
    ) throws -> ConnectionPool<PoolConnection> {
        try ConnectionPool("db", limit: limit, clock: .manual(time), configure: configure) { [server] in
            try await server.open()
        }
    }

    /// Holds a connection until `end` is settled.
    private func hold(_ pool: ConnectionPool<PoolConnection>, _ end: OneShot<Void>) -> Task<Int, any Error> {
        Task {
            try await pool.withConnection { connection in
                await end.value
                return connection.number
            }
        }
    }

    @Test("A connection that came back is reused, after its check, and one that broke is replaced (CLI-16)")
    func reuse() async throws {
        let pool = try pool()
        let first = try await pool.withConnection { $0 }
        #expect(try await pool.withConnection { $0 } === first)
        first.breakDown()
        let second = try await pool.withConnection { $0 }
        #expect(second !== first && server.now.opened == 2)
        try await pool.close()
        #expect(first.closings == 1 && second.closings == 1)
    }

    @Test("The limit holds while connections are created, and waiters are served in their order (CLI-16)")
    func order() async throws {
        let pool = try pool(limit: 1)
        let gate = OneShot<Void>()
        server.change { $0.openGate = gate }
        let served = Journal<Int>()
        var calls: [Task<Void, any Error>] = []
        for number in 0..<10 {
            calls.append(Task { try await pool.withConnection { _ in served.write(number) } })
            await eventually { pool.counts.waiters == number + 1 }
        }
        #expect(server.now.requested == 1 && pool.counts.live == 1)
        gate.settle(())
        for call in calls { try await call.value }
        #expect(served.entries == Array(0..<10))
        #expect(server.now.mostOpen == 1 && server.now.opened == 1)
    }

    @Test("A body that throws gives its connection back (CLI-16)")
    func throwing() async throws {
        struct Broken: Error {}
        let pool = try pool()
        await #expect(throws: Broken.self) { try await pool.withConnection { _ in throw Broken() } }
        #expect(pool.counts.acquired == 1 && pool.counts.returned == 1 && pool.counts[.idle] == 1)
    }

    @Test("A call that waits too long fails, and leaves neither a waiter nor a lost connection (CLI-16)")
    func timeout() async throws {
        let pool = try pool(limit: 1) {
            $0.acquireTimeout = .seconds(30)
            $0.idleLimit = nil
            $0.ageLimit = nil
        }
        let end = OneShot<Void>()
        let holder = hold(pool, end)
        await eventually { pool.counts.acquired == 1 }
        let late = Task { try await pool.withConnection { _ in } }
        // The timer of the holder may still sleep, so the sleepers do not tell whether this call waits.
        await eventually { pool.counts.waiters == 1 }
        time.advance(by: .seconds(30))
        let error = await #expect(throws: PoolError.self) { try await late.value }
        #expect(error?.code == .poolTimedOut)
        #expect(
            error?.message.contains("within 30.0 seconds: of at most 1, 1 in use") == true,
            "\(error?.message ?? "")"
        )
        #expect(pool.counts.waiters == 0 && pool.counts.timedOut == 1)
        await #expect(throws: PoolError.self) { try await pool.withConnection(within: .zero) { _ in } }
        end.settle(())
        #expect(try await holder.value == 1)
        #expect(try await pool.withConnection { $0.number } == 1)
        #expect(time.sleeperCount == 0)
    }

    @Test("A connection that was created for a cancelled call serves the next one (CLI-16)")
    func cancellation() async throws {
        let pool = try pool(limit: 1)
        let gate = OneShot<Void>()
        server.change { $0.openGate = gate }
        let first = Task { try await pool.withConnection { _ in } }
        await eventually { pool.counts.waiters == 1 }
        let second = Task { try await pool.withConnection { $0.number } }
        await eventually { pool.counts.waiters == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(pool.counts.waiters == 1)
        gate.settle(())
        #expect(try await second.value == 1)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.withConnection { _ in }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(pool.counts.acquired == 1 && pool.counts.returned == 1 && server.now.requested == 1)
    }

    @Test("A failed creation fails the first call, and the next call gets a new attempt (CLI-16)")
    func failure() async throws {
        let pool = try pool(limit: 1)
        let gate = OneShot<Void>()
        server.change {
            $0.openGate = gate
            $0.refuses = 1
        }
        let first = Task { try await pool.withConnection { _ in } }
        await eventually { pool.counts.waiters == 1 }
        let second = Task { try await pool.withConnection { $0.number } }
        await eventually { pool.counts.waiters == 2 }
        gate.settle(())
        await #expect(throws: PoolServer.Refused(number: 1)) { try await first.value }
        #expect(try await second.value == 2)
        #expect(pool.counts.failed == 1 && pool.counts.refused == 1)
    }

    @Test("Idle connections are closed at the idle limit, and old ones at the age limit, by the clock (CLI-16)")
    func limits() async throws {
        let pool = try pool {
            $0.idleLimit = .seconds(60)
            $0.ageLimit = .seconds(100)
        }
        let first = try await pool.withConnection { $0 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(59))
        #expect(try await pool.withConnection { $0 } === first)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(1)
        #expect(pool.counts[.idle] == 1, "it was used a second ago")
        time.advance(by: .seconds(29))
        #expect(try await pool.withConnection { $0 } === first)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(11))
        await eventually { pool.counts.closed == 1 }
        #expect(first.closings == 1, "its age is 100 s")
        let second = try await pool.withConnection { $0 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(60))
        await eventually { pool.counts.closed == 2 }
        #expect(second.closings == 1 && pool.counts.live == 0)
    }

    @Test("Without a check, a connection that was idle for less than the setting is reused as it is (CLI-16)")
    func trust() async throws {
        let pool = try pool { $0.checkAfter = .seconds(1) }
        let first = try await pool.withConnection { $0 }
        first.breakDown()
        #expect(try await pool.withConnection { $0 } === first)
        time.advance(by: .seconds(1))
        #expect(try await pool.withConnection { $0 } !== first)
    }

    @Test("Closing rejects waiters, closes connections when they come back, and names those that are overdue (CLI-16)")
    func close() async throws {
        let pool = try pool(limit: 1)
        let end = OneShot<Void>()
        let holder = hold(pool, end)
        await eventually { pool.counts.acquired == 1 }
        let waiter = Task { try await pool.withConnection { _ in } }
        await eventually { pool.counts.waiters == 1 }
        let closing = Task { try await pool.close(within: .seconds(5)) }
        let rejected = await #expect(throws: PoolError.self) { try await waiter.value }
        #expect(rejected?.code == .poolClosed)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        let error = await #expect(throws: PoolError.self) { try await closing.value }
        #expect(error?.code == .connectionsOverdue)
        #expect(error?.message.contains("connection 1 (in use)") == true)
        let again = Task { try await pool.close() }
        await time.waitForSleepers(1)
        end.settle(())
        _ = try await holder.value
        try await again.value
        try await pool.close()
        #expect(pool.counts.live == 0 && server.now.closed == 1 && time.sleeperCount == 0)
        let refused = await #expect(throws: PoolError.self) { try await pool.withConnection { _ in } }
        #expect(refused?.code == .poolClosed)
    }

    @Test("A pool that is released without closing closes its idle connections and its timer (CLI-16)")
    func release() async throws {
        var pool: ConnectionPool? = try pool()
        let connection = try #require(try await pool?.withConnection { $0 })
        await time.waitForSleepers(1)
        pool = nil
        await eventually { [time] in connection.closings == 1 && time.sleeperCount == 0 }
    }

    @Test("Invalid settings are refused with the name of the setting (CLI-16)")
    func settings() {
        func refuses(_ setting: String, limit: Int = 1, _ configure: (inout ConnectionPoolConfiguration) -> Void) {
            let error = #expect(throws: PoolError.self) { try pool(limit: limit, configure) }
            #expect(error?.code == .invalidPool && error?.message.contains(setting) == true)
        }
        refuses("limit", limit: 0) { _ in }
        refuses("acquireTimeout") { $0.acquireTimeout = .zero }
        refuses("idleLimit") { $0.idleLimit = .seconds(-1) }
        refuses("ageLimit") { $0.ageLimit = .zero }
        refuses("checkTimeout") { $0.checkTimeout = .zero }
        refuses("checkAfter") { $0.checkAfter = .nanoseconds(-1) }
        #expect(throws: PoolError.self) { try ConnectionPool("", limit: 1) { [server] in try await server.open() } }
    }
}
