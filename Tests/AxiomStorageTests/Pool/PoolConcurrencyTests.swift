// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("A connection pool under concurrent calls", .timeLimit(.minutes(10)))
struct PoolConcurrencyTests {
    private struct Broken: Error {}

    /// What one call does.
    private enum Way: Int, CaseIterable {
        case works
        case breaksConnection
        case throwsError
        case isCancelled
        case timesOut
    }

    @Test("With faulty connections each is used by one call, the limit holds and nothing is lost (CLI-16)")
    func faulty() async throws {
        let seed = TestSeed.drawn()
        let server = PoolServer()
        let pool = try ConnectionPool("faulty", limit: 3) {
            $0.acquireTimeout = nil
        } make: {
            try await server.open()
        }
        let rounds = PoolModelTests.count(20_000)
        await withTaskGroup(of: Void.self) { group in
            for stream in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: seed, stream: UInt64(stream))
                    for _ in 0..<(rounds / 8) { await Self.call(pool, server, &random) }
                }
            }
        }
        try await pool.close(within: .seconds(300))
        let counts = pool.counts
        #expect(server.now.mostOpen <= 3)
        #expect(counts.created == counts.closed && counts.live == 0 && counts.acquired == counts.returned)
        #expect(counts.created == server.now.opened && counts.closed == server.now.closed && server.now.open == 0)
        #expect(counts.acquired > 0 && counts.failed > 0 && counts.created > 3, "\(counts)")
    }

    private static func call(
        _ pool: ConnectionPool<PoolConnection>,
        _ server: PoolServer,
        _ random: inout SeededGenerator
    ) async {
        let way = Way.allCases[random.index(below: Way.allCases.count)]
        if random.index(below: 8) == 0 { server.change { $0.refuses = 1 } }
        let yields = random.index(below: 4)
        let call = Task {
            let limit: Duration? = way == .timesOut ? .microseconds(50) : nil
            try await pool.withConnection(within: limit) { connection in
                #expect(connection.enter(), "a connection has two users, or is closed")
                defer { connection.leave() }
                for _ in 0..<yields { await Task.yield() }
                if way == .breaksConnection { connection.breakDown() }
                if way == .throwsError { throw Broken() }
            }
        }
        if way == .isCancelled { call.cancel() }
        switch await call.result {
        case .success: #expect(way != .throwsError)
        case .failure(is Broken): #expect(way == .throwsError)
        case .failure(is CancellationError): #expect(way == .isCancelled)
        case .failure(is PoolError): #expect(way == .timesOut)
        case .failure(let error): #expect(error is PoolServer.Refused)
        }
    }
}
