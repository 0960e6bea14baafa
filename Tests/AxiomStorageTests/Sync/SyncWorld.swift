// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import Foundation
import Testing

@testable import AxiomStorage

/// An engine with a manual clock, a connection that tests switch, and a server that tests control.
final class SyncWorld: Sendable {
    struct Broken: Error {}

    /// What the server does with an attempt.
    typealias Behavior = @Sendable (PendingChange) async throws -> SyncAnswer

    private struct State {
        var behavior: Behavior = { _ in .accepted }
        var received: [PendingChange] = []
        var errors: [ErrorCode] = []
        var resolve: SyncEngine.Resolver = SyncEngine.setAside
    }

    let time = ManualTime()
    let storage: CrashingStorage
    let outbox: Outbox
    let engine: SyncEngine
    private let connection: AsyncStream<Bool>.Continuation
    private let state: Shared

    private final class Shared: Sendable {
        let state = Lock(State())
    }

    init(
        _ storage: CrashingStorage = CrashingStorage(),
        every interval: Duration = .seconds(30),
        outboxOptions: OutboxOptions = OutboxOptions(),
        _ configure: (inout SyncOptions) -> Void = { _ in }
    ) throws {
        let shared = Shared()
        var options = SyncOptions()
        options.backoff = .constant(.seconds(10), jitter: .none)
        configure(&options)
        let (states, connection) = AsyncStream.makeStream(of: Bool.self)
        self.storage = storage
        self.connection = connection
        state = shared
        outbox = try Outbox("orders", in: storage, options: outboxOptions, clock: .manual(time))
        engine = try SyncEngine(
            outbox,
            every: interval,
            connection: .states(states),
            options: options,
            onError: { error in shared.state.withLock { $0.errors.append(ErrorCode(of: error)) } },
            send: { change in
                let behavior = shared.state.withLock { state in
                    state.received.append(change)
                    return state.behavior
                }
                return try await behavior(change)
            },
            resolve: { change, remote in
                let resolve = shared.state.withLock { $0.resolve }
                return try await resolve(change, remote)
            }
        )
    }

    /// The attempts that reached the server, in their order.
    var received: [PendingChange] { state.state.withLock { $0.received } }
    var payloads: [UInt8] { received.compactMap(\.payload.first) }
    var errors: [ErrorCode] { state.state.withLock { $0.errors } }

    func answer(_ behavior: @escaping Behavior) { state.state.withLock { $0.behavior = behavior } }
    func resolve(_ resolver: @escaping SyncEngine.Resolver) { state.state.withLock { $0.resolve = resolver } }
    func connect(_ isConnected: Bool) { connection.yield(isConnected) }

    func append(_ payload: UInt8, key: String = "") async throws {
        try await outbox.append("place", Data([payload]), key: key)
    }

    /// Waits until the status fulfils a condition.
    func wait(_ condition: (OutboxStatus) -> Bool) async {
        for await status in outbox.publisher.updates where condition(status) { return }
    }

    /// Waits until the server has received a number of attempts.
    func waitForAttempts(_ count: Int) async {
        while received.count < count { await Task.yield() }
    }

    /// Waits until the engine has nothing to do before time passes.
    func waitUntilIdle() async {
        while !(await engine.runner.isIdle) { await Task.yield() }
    }
}
