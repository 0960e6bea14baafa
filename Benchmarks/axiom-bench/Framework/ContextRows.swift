// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import CAxiomSupport

/// What the specification wants of contexts and of errors.
enum ContextRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "context.creation",
            statement: "a context with dependencies p99 < 50 ms",
            unit: "ms",
            limit: 50,
            measure: { try await creation().percentile(0.99) }
        ),
        .init(
            id: "context.creation.50",
            statement: "50 contexts < 500 ms",
            unit: "ms",
            limit: 500,
            measure: { try await creation().total }
        ),
        .init(
            id: "context.observation",
            statement: "a client's state reaches the context < 5 ms, p95 of 500",
            unit: "ms",
            limit: 5,
            measure: { try await observation() }
        ),
        .init(
            id: "context.memory",
            statement: "a context beside its own properties < 1 KB",
            unit: "bytes",
            limit: 1_024,
            measure: { try await bytesOfContext() }
        ),
        .init(
            id: "context.lifecycle",
            statement: "appear and disappear < 10 ms each, the slowest of 100",
            unit: "ms",
            limit: 10,
            measure: { try await lifecycle() }
        ),
        .init(
            id: "context.cycle",
            statement: "a circle of 20 contexts is detected < 100 ms",
            unit: "ms",
            limit: 100,
            measure: { try await circle() }
        ),
        .init(
            id: "error.strategy",
            statement: "1,000 choices of a strategy, mean < 3 ms",
            unit: "ms",
            limit: 3,
            measure: { try await errors(.fail).mean }
        ),
        .init(
            id: "error.from-client",
            statement: "a client's error is caught by the context < 5 ms, p99 of 1,000",
            unit: "ms",
            limit: 5,
            measure: { try await errors(.fail).percentile(0.99) }
        ),
        .init(
            id: "error.from-capability",
            statement: "a capability's error reaches the context < 10 ms, p99 of 1,000",
            unit: "ms",
            limit: 10,
            measure: { try await errors(.failBelow).percentile(0.99) }
        ),
    ]

    @MainActor
    private static func creation() async throws -> Durations {
        let orchestrator = try await FrameworkSuite.application()
        var contexts: [BookContext] = []
        var durations = Durations()
        for _ in 0..<50 {
            try await durations.time { contexts.append(try orchestrator.makeContext(BookContext.self)) }
        }
        return durations
    }

    /// From just before the action to the context's turn on the main actor.
    @MainActor
    private static func observation() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let host = PresentationHost(BookPresentation.self, orchestrator) { _ in }
        try await host.mount(())
        guard let context = host.context else { return .nan }
        let (arrivals, arrived) = AsyncStream.makeStream(of: Instant.self)
        context.onState = { _ in arrived.yield(TimeSource.live.now) }
        context.startObserving()
        var iterator = arrivals.makeAsyncIterator()
        _ = await iterator.next()
        var durations = Durations()
        for _ in 0..<500 {
            let start = TimeSource.live.now
            try await context.client.process(.add)
            if let end = await iterator.next() { durations.add(end.seconds(since: start) * 1_000) }
        }
        await host.unmount()
        return durations.percentile(0.95)
    }

    @MainActor
    private static func bytesOfContext() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let count = 5_000
        var contexts: [BookContext] = []
        contexts.reserveCapacity(count)
        for _ in 0..<10 { contexts.append(try orchestrator.makeContext(BookContext.self)) }
        let before = axiom_heap_bytes()
        for _ in 10..<count { contexts.append(try orchestrator.makeContext(BookContext.self)) }
        let bytes = Double(axiom_heap_bytes() - before) / Double(count - 10)
        withExtendedLifetime(contexts) {}
        return bytes
    }

    @MainActor
    private static func lifecycle() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let host = PresentationHost(BookPresentation.self, orchestrator) { _ in }
        var durations = Durations()
        for _ in 0..<50 {
            try await durations.time { try await host.mount(()) }
            await durations.time { await host.unmount() }
        }
        return durations.largest
    }

    /// An error from its throw to its place in the context's history, with the choice of its strategy between.
    @MainActor
    private static func errors(_ action: BookAction) async throws -> Durations {
        let orchestrator = try await FrameworkSuite.application()
        let context = try orchestrator.makeContext(BookContext.self)
        var durations = Durations()
        for _ in 0..<1_000 { await durations.time { await context.send(action) } }
        struct Lost: Error {}
        guard context.errorBoundary.count == 1_000 else { throw Lost() }
        return durations
    }

    @MainActor
    private static func circle() async throws -> Double {
        let orchestrator = Orchestrator()
        register(Zero.self, 20, orchestrator)
        try await orchestrator.start()
        var durations = Durations()
        var isDetected = false
        await durations.time {
            do {
                _ = try orchestrator.makeContext(CircleContext<Zero>.self)
            } catch {
                isDetected = true
            }
        }
        return isDetected ? durations.total : .nan
    }

    @inline(never)
    @MainActor
    private static func register<Number>(_ number: Number.Type, _ count: Int, _ orchestrator: Orchestrator) {
        guard count > 0 else { return }
        orchestrator.register(CircleContext<Number>.self) { scope in
            try CircleContext<Number>(scope) { scope in
                if count > 1 {
                    _ = try scope.context(CircleContext<Next<Number>>.self)
                } else {
                    _ = try scope.context(CircleContext<Zero>.self)
                }
            }
        }
        register(Next<Number>.self, count - 1, orchestrator)
    }
}
