// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

/// A server whose tokens expire, and what it was asked.
private final class AccountServer: Sendable {
    let logIns = Journal<String>()
    let reads = Journal<Int>()
    /// The tokens that are valid now.
    private let valid = Lock<Set<Int>>([])
    let isClosed = Lock(false)

    func logIn(_ user: String) throws -> Int {
        if isClosed.withLock({ $0 }) { throw SampleError("wrong password") }
        logIns.write(user)
        let token = logIns.entries.count
        valid.withLock { _ = $0.insert(token) }
        return token
    }

    func balance(_ token: Int) throws -> Int {
        reads.write(token)
        guard valid.withLock({ $0.contains(token) }) else { throw AuthorizationError.sessionExpired() }
        return 42
    }

    func expireAll() { valid.withLock { $0 = [] } }
}

/// The capability of Documentation/capabilities.md, with a server of the test.
private actor Accounts: Capability {
    nonisolated let identity: ComponentIdentity
    private let server: AccountServer
    private let logIns = SingleFlight<String, Int>("Accounts")
    private var tokens: [String: Int] = [:]

    init(_ scope: borrowing CapabilityScope, _ server: AccountServer) {
        identity = scope.identity
        self.server = server
    }

    static func recovery(for error: any Error) -> CapabilityRecovery {
        ErrorCode(of: error) == .sessionExpired ? .retry(attempts: 2, backoff: .none) : .propagate
    }

    /// - Parameter pause: Awaited between the log-in and the answer, for tests.
    func balance(of user: String, _ pause: @Sendable () async -> Void = {}) async throws -> Int {
        let token = try await token(of: user)
        await pause()
        do {
            return try server.balance(token)
        } catch let error as AuthorizationError where error.code == .sessionExpired {
            // Unless another call has logged in since then.
            if tokens[user] == token { tokens[user] = nil }
            throw error
        }
    }

    private func token(of user: String) async throws -> Int {
        if let token = tokens[user] { return token }
        return try await logIns.value(for: user) { try await self.logIn(user) }
    }

    /// Keeps the token before the callers that wait for it go on.
    private func logIn(_ user: String) async throws -> Int {
        await Task.yield()
        let token = try server.logIn(user)
        tokens[user] = token
        return token
    }
}

@MainActor
@Suite("Sessions of a capability", .timeLimit(.minutes(10)))
struct SessionTests {
    private let server = AccountServer()
    private let orchestrator = Orchestrator(limits: .endless)

    private func start() async throws -> CapabilityRef<Accounts> {
        let (server, box) = (server, Box<CapabilityRef<Accounts>>())
        orchestrator.register(Accounts.self) { Accounts($0, server) }
        orchestrator.register(Keeper<Accounts>.self) { try Keeper($0, Accounts.self) { box.put($0) } }
        try await orchestrator.start()
        return try box.value.orThrow()
    }

    @Test("An expired session is renewed once for all calls of its user, and each is repeated once (CAP-21)")
    func renewed() async throws {
        let ref = try await start()
        for user in ["Ada", "Bob"] { #expect(try await ref.call { try await $0.balance(of: user) } == 42) }
        server.expireAll()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask { try await ref.call { try await $0.balance(of: number < 10 ? "Ada" : "Bob") } }
            }
            var values: [Int] = []
            for try await value in group { values.append(value) }
            return values
        }
        #expect(values == Array(repeating: 42, count: 20))
        #expect(server.logIns.entries.sorted() == ["Ada", "Ada", "Bob", "Bob"])
    }

    @Test("A call whose session was renewed by another one is repeated without a further renewal (CAP-21)")
    func sameSession() async throws {
        let ref = try await start()
        _ = try await ref.call { try await $0.balance(of: "Ada") }
        let (begun, gate) = (Journal<Int>(), Gate())
        let slow = Task {
            try await ref.call { accounts in
                try await accounts.balance(of: "Ada") {
                    begun.write(1)
                    await gate.wait()
                }
            }
        }
        await begun.wait(for: 1)
        server.expireAll()
        #expect(try await ref.call { try await $0.balance(of: "Ada") } == 42)
        gate.open()
        #expect(try await slow.value == 42)
        #expect(server.logIns.entries == ["Ada", "Ada"])
        #expect(server.reads.entries == [1, 1, 2, 1, 2])
    }

    @Test("A session that cannot be renewed throws the error of the log-in, and later calls try again (CAP-21)")
    func notRenewed() async throws {
        let ref = try await start()
        server.isClosed.withLock { $0 = true }
        await #expect(throws: SampleError("wrong password")) { try await ref.call { try await $0.balance(of: "Ada") } }
        server.isClosed.withLock { $0 = false }
        #expect(try await ref.call { try await $0.balance(of: "Ada") } == 42)
    }
}
