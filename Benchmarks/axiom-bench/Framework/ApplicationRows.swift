// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import CAxiomSupport

/// The specification's goals for a whole application: its start, its memory, its tasks.
enum ApplicationRows {
    static let rows: [FrameworkSuite.Row] = [
        .init(
            id: "application.cold-start",
            statement: "the first start of a process, 50 components < 1 s",
            unit: "ms",
            limit: 1_000,
            measure: { try await start() }
        ),
        .init(
            id: "application.warm-start",
            statement: "a later start, 50 components < 100 ms",
            unit: "ms",
            limit: 100,
            measure: {
                _ = try await start()
                return try await start()
            }
        ),
        .init(
            id: "application.memory",
            statement: "the framework's heap after the start of 50 components < 50 MB",
            unit: "bytes",
            limit: 50 * 1_048_576,
            measure: { try await heapOfStart() }
        ),
        .init(
            id: "state.memory",
            statement: "a store with 3 subscribers that do not read, after 10,000 states < 1 MB",
            unit: "bytes",
            limit: 1_048_576,
            measure: { try await heapOfStore() }
        ),
        .init(
            id: "action.typical",
            statement: "a user action through context and client < 50 ms, p99 of 1,000",
            unit: "ms",
            limit: 50,
            measure: { try await actions().percentile(0.99) }
        ),
        .init(
            id: "actor.wait",
            statement: "an action of 8 tasks at one client < 1 ms, mean of 8,000",
            unit: "ms",
            limit: 1,
            measure: { try await contendedActions() }
        ),
        .init(
            id: "task.startup",
            statement: "a task begins < 1 ms after its creation, mean of 1,000",
            unit: "ms",
            limit: 1,
            measure: { await taskStartup() }
        ),
        .init(
            id: "task.cancellation",
            statement: "an action that waits in a client ends < 10 ms after its task was cancelled, the slowest of 50",
            unit: "ms",
            limit: 10,
            measure: { try await cancellation() }
        ),
        .init(
            id: "context.leaks",
            statement: "1,000 mounted and unmounted contexts, none alive",
            unit: "contexts",
            limit: 0,
            measure: { try await leaks() }
        ),
        .init(
            id: "context.actions.memory",
            statement: "1,000 context actions leave < 1 KB of heap",
            unit: "bytes",
            limit: 1_024,
            measure: { try await heapOfActions() }
        ),
        .init(
            id: "view.rendering",
            statement: "a change of observed state is rendered < 10 ms, p95 of 200",
            unit: "ms",
            limit: 10,
            measure: { try await rendering() }
        ),
    ]

    @MainActor
    private static func started() async throws -> Orchestrator {
        try await FrameworkSuite.application { CapabilityRows.register(Zero.self, 47, $0) }
    }

    @MainActor
    private static func start() async throws -> Double {
        var durations = Durations()
        var orchestrator: Orchestrator?
        try await durations.time { orchestrator = try await started() }
        withExtendedLifetime(orchestrator) {}
        return durations.total
    }

    @MainActor
    private static func heapOfStart() async throws -> Double {
        let before = axiom_heap_bytes()
        let orchestrator = try await started()
        let bytes = Double(axiom_heap_bytes() - before)
        withExtendedLifetime(orchestrator) {}
        return bytes
    }

    private static func heapOfStore() async throws -> Double {
        let store = StateStore(BookState())
        let before = axiom_heap_bytes()
        var subscribers = (0..<3).map { _ in store.stream.makeAsyncIterator() }
        // The first state is taken, so that each is a subscriber from here on.
        for index in subscribers.indices { _ = try await subscribers[index].next() }
        for _ in 0..<10_000 { store.update { $0.count += 1 } }
        let bytes = Double(axiom_heap_bytes() - before)
        withExtendedLifetime((store, subscribers)) {}
        return bytes
    }

    @MainActor
    private static func actions() async throws -> Durations {
        let orchestrator = try await FrameworkSuite.application()
        let context = try orchestrator.makeContext(BookContext.self)
        var durations = Durations()
        for _ in 0..<1_000 { await durations.time { await context.send(.add) } }
        return durations
    }

    @MainActor
    private static func contendedActions() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let client = try orchestrator.makeContext(BookContext.self).client
        let tasks = (0..<8).map { _ in
            Task.detached {
                var durations = Durations()
                for _ in 0..<1_000 { try await durations.time { try await client.process(.add) } }
                return durations.mean
            }
        }
        var means: [Double] = []
        for task in tasks { means.append(try await task.value) }
        return means.reduce(0, +) / Double(means.count)
    }

    private static func taskStartup() async -> Double {
        var durations = Durations()
        for _ in 0..<1_000 {
            let created = TimeSource.live.now
            durations.add(await Task { TimeSource.live.now.seconds(since: created) * 1_000 }.value)
        }
        return durations.mean
    }

    @MainActor
    private static func cancellation() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let context = try orchestrator.makeContext(BookContext.self)
        var durations = Durations()
        for _ in 0..<50 {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            context.onWait = { begin.yield() }
            let task = Task { await context.send(.wait) }
            for await _ in begun { break }
            await durations.time {
                task.cancel()
                await task.value
            }
        }
        return durations.largest
    }

    @MainActor
    private static func leaks() async throws -> Double {
        final class Weak { weak var context: BookContext? }
        let orchestrator = try await FrameworkSuite.application()
        let host = PresentationHost(BookPresentation.self, orchestrator) { _ in }
        var references: [Weak] = []
        for _ in 0..<1_000 {
            try await host.mount(())
            let reference = Weak()
            reference.context = host.context
            references.append(reference)
            await host.unmount()
        }
        // What a queue of the main actor still holds is freed by the turns that it already has.
        for _ in 0..<100 where references.contains(where: { $0.context != nil }) { await Task.yield() }
        return Double(references.count { $0.context != nil })
    }

    @MainActor
    private static func heapOfActions() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let context = try orchestrator.makeContext(BookContext.self)
        // What the runtime keeps for its threads is allocated once, within some thousand actions.
        for _ in 0..<5_000 { await context.send(.add) }
        let before = axiom_heap_bytes()
        for _ in 0..<1_000 { await context.send(.add) }
        let bytes = Double(axiom_heap_bytes() - before)
        withExtendedLifetime((orchestrator, context)) {}
        return max(0, bytes)
    }

    @MainActor
    private static func rendering() async throws -> Double {
        let orchestrator = try await FrameworkSuite.application()
        let (renderings, rendered) = AsyncStream.makeStream(of: Instant.self)
        let host = PresentationHost(BookPresentation.self, orchestrator) { _ in rendered.yield(TimeSource.live.now) }
        try await host.mount(())
        guard let context = host.context else { return .nan }
        var iterator = renderings.makeAsyncIterator()
        _ = await iterator.next()
        var durations = Durations()
        for _ in 0..<200 {
            let start = TimeSource.live.now
            context.count += 1
            if let end = await iterator.next() { durations.add(end.seconds(since: start) * 1_000) }
        }
        await host.unmount()
        return durations.percentile(0.95)
    }
}
