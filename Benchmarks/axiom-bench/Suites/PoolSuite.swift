// SPDX-License-Identifier: Apache-2.0

import AxiomBenchmarking
import AxiomStorage

/// What it costs to take a connection from a pool that has one, and to give it back: without a check; if the connection knows
/// that it is valid; and with a check that has to be awaited, which needs a task. The floor is the same loan through an
/// actor: two hops.
enum PoolSuite {
    static let suite = BenchmarkSuite("pool") { suite in
        let floor: @Sendable (Loans, Int) async -> Void = { loans, iterations in
            for _ in 0..<iterations {
                let connection = await loans.take()
                blackHole(connection)
                await loans.giveBack(connection)
            }
        }
        suite.addAsync("actor.loan", fixture: { Loans() }, floor)
        let loan: @Sendable (Pool, Int) async -> Void = { pool, iterations in
            for _ in 0..<iterations { try? await pool.withConnection { blackHole($0) } }
        }
        func add(
            _ id: String,
            goal: Double,
            measured: Double,
            _ pool: @escaping @Sendable () async throws -> Pool
        ) {
            let goal = BenchmarkGoal.atMost(goal, times: "pool/actor.loan").held(at: measured)
            suite.addAsync(id, options: .goal(goal), fixture: pool, loan)
        }
        add("loan.unchecked", goal: 5, measured: 6.3) { try await warm(checkAfter: .seconds(3_600)) }
        add("loan.known", goal: 7, measured: 18.5) { try await warm(checkAfter: .zero, knows: true) }
        add("loan.checked", goal: 10, measured: 39) { try await warm(checkAfter: .zero) }
        suite.addTaskPair("loan.checked.2threads", iterations: 500, shared: { try pool(checkAfter: .zero) }, loan)
    }

    private typealias Pool = ConnectionPool<Connection>

    private static func pool(checkAfter: Duration, knows: Bool = false) throws -> Pool {
        try Pool("warm", limit: 2) {
            $0.checkAfter = checkAfter
        } make: {
            Connection(knows)
        }
    }

    /// A pool with two idle connections.
    private static func warm(checkAfter: Duration, knows: Bool = false) async throws -> Pool {
        let pool = try pool(checkAfter: checkAfter, knows: knows)
        try await pool.withConnection { _ in try await pool.withConnection { _ in } }
        return pool
    }

    private final class Connection: PooledConnection {
        let knownValidity: Bool?

        init(_ knows: Bool) { knownValidity = knows ? true : nil }

        var isValid: Bool { true }
        func close() async {}
    }

    private actor Loans {
        private var idle = [Connection(true)]

        func take() -> Connection { idle.popLast() ?? Connection(true) }
        func giveBack(_ connection: Connection) { idle.append(connection) }
    }
}
