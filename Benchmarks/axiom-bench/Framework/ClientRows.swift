// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import CAxiomSupport

/// What the specification wants of clients.
enum ClientRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "client.mutation",
            statement: "10,000 actions p95 < 8 ms",
            unit: "ms",
            limit: 8,
            measure: { try await mutation() }
        ),
        .init(
            id: "client.publishing",
            statement: "a state reaches its stream < 1 ms, p95 of 1,000",
            unit: "ms",
            limit: 1,
            measure: { await publishing() }
        ),
        .init(
            id: "client.concurrent-mutations",
            statement: "1,000 concurrent mutations, none lost",
            unit: "lost",
            limit: 0,
            measure: { try await lostMutations() }
        ),
        .init(
            id: "client.memory",
            statement: "a client with its store and identity, as the orchestrator makes it < 512 bytes",
            unit: "bytes",
            limit: 512,
            measure: { try await bytesOfClient() }
        ),
    ]

    @MainActor
    private static func mutation() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let client = try orchestrator.makeContext(BookContext.self).client
        return try await Task.detached {
            var durations = Durations()
            for _ in 0..<10_000 { try await durations.time { try await client.process(.add) } }
            return durations.percentile(0.95)
        }.value
    }

    /// From just before an update to its arrival at a subscriber in another task.
    private static func publishing() async -> Double {
        let store = StateStore(BookState())
        let sent = Lock<Instant?>(nil)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Double.self)
        let subscriber = Task.detached {
            for try await _ in store.stream {
                let now = TimeSource.live.now
                let start = sent.withLock { $0 }
                arrived.yield(start.map { now.seconds(since: $0) * 1_000 } ?? 0)
            }
        }
        var durations = Durations()
        var iterator = arrivals.makeAsyncIterator()
        // The state with which the subscription begins.
        _ = await iterator.next()
        for _ in 0..<1_000 {
            sent.withLock { $0 = TimeSource.live.now }
            store.update { $0.count += 1 }
            if let time = await iterator.next() { durations.add(time) }
        }
        subscriber.cancel()
        return durations.percentile(0.95)
    }

    @MainActor
    private static func lostMutations() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let client = try orchestrator.makeContext(BookContext.self).client
        try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 { group.addTask { try await client.process(.add) } }
            try await group.waitForAll()
        }
        return Double(1_000 - (await client.state.count))
    }

    /// What a client of the smallest state holds on the heap: by how much 40 more clients make a running application
    /// larger, with the part of their registrations that the orchestrator keeps, and without what libdispatch keeps.
    @MainActor
    private static func bytesOfClient() async throws -> Double {
        // Once before: the runtime makes what describes the types when they are first used.
        _ = try await heap(clients: 50)
        let (few, many) = (try await heap(clients: 10), try await heap(clients: 50))
        return (many - few) / 40 - (await bytesOfChange())
    }

    /// What libdispatch keeps of one change of the actor, until each thread has some hundred such blocks. The activation of
    /// a client is a change of the actor.
    @MainActor
    private static func bytesOfChange() async -> Double {
        actor Other {
            var changes = 0
            func change() { changes += 1 }
        }
        let other = Other()
        await other.change()
        let before = axiom_heap_bytes()
        for _ in 0..<40 { await other.change() }
        return Double(axiom_heap_bytes() - before) / 40
    }

    @MainActor
    private static func heap(clients count: Int) async throws -> Double {
        let orchestrator = Orchestrator()
        for number in 0..<count { register(Zero.self, bits: 6, of: number, orchestrator) }
        let before = axiom_heap_bytes()
        try await orchestrator.start()
        let bytes = Double(axiom_heap_bytes() - before)
        withExtendedLifetime(orchestrator) {}
        return bytes
    }

    /// Registers the client whose type has the bits of a number. A type with fewer parts has a shorter name, which the
    /// orchestrator keeps.
    @inline(never)
    @MainActor
    static func register<Number>(
        _ type: Number.Type,
        bits: Int,
        of number: Int,
        _ orchestrator: Orchestrator
    ) {
        switch (bits, number & 1) {
        case (0, _): orchestrator.register(NumberedClient<Number>.self) { NumberedClient<Number>($0) }
        case (_, 0): register(Twice<Number>.self, bits: bits - 1, of: number >> 1, orchestrator)
        default: register(Next<Number>.self, bits: bits - 1, of: number >> 1, orchestrator)
        }
    }
}
