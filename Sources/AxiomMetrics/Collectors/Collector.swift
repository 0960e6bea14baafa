// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// A source of metrics that are computed at each collection: living components, statistics of the process.
///
/// Every collection calls the collector on its own thread; concurrent collections call it concurrently. It must not wait.
/// The returned families are checked: an invalid one is omitted and reported in ``Snapshot/problems``, and the rest of
/// the page is not affected.
public protocol Collector: Sendable {
    /// The current families.
    ///
    /// - Throws: Any error. All families of this collector are then missing from the page, and the error is reported.
    func collect() throws -> [CollectedFamily]
}

/// A ``Collector`` that may wait: for a database, an actor, another process.
///
/// ``Registry/collect(deadline:)`` calls it and cancels it when the deadline passes; it should then return soon. It is not
/// called again before it has returned. The returned families are checked like those of a ``Collector``.
public protocol AsyncCollector: Sendable {
    /// The current families.
    ///
    /// - Throws: Any error. All families of this collector are then missing from the page, and the error is reported.
    func collect() async throws -> [CollectedFamily]
}

/// Identifies a registered collector, to unregister it.
public struct CollectorRegistration: Hashable, Sendable {
    let id: UInt64
}

/// A registered collector.
struct CollectorSource: Sendable {
    let id: CollectorRegistration
    let collector: any Collector
    let definitions = DefinitionCache()

    init(_ id: CollectorRegistration, _ collector: any Collector) {
        self.id = id
        self.collector = collector
    }
}

/// A registered asynchronous collector, and whether it is running.
final class AsyncSource: Sendable {
    let id: CollectorRegistration
    let name: String
    let definitions = DefinitionCache()
    private let collector: any AsyncCollector
    private let isRunning = Atomic<Bool>(false)

    init(_ id: CollectorRegistration, _ collector: any AsyncCollector) {
        self.id = id
        self.collector = collector
        name = String(describing: type(of: collector))
    }

    /// Marks the collector as running; false if it already is. The caller must then call ``collect()``.
    func claim() -> Bool {
        !isRunning.exchange(true, ordering: .acquiringAndReleasing)
    }

    func collect() async -> AsyncGathering.Outcome {
        defer { isRunning.store(false, ordering: .releasing) }
        do {
            return .families(try await collector.collect())
        } catch {
            return .failed(error)
        }
    }
}

/// Runs several collectors concurrently and waits for all of them or for a deadline, whichever comes first.
///
/// This is not a task group, which would wait for a collector that ignores cancellation.
final class AsyncGathering: Sendable {
    enum Outcome: Sendable {
        case families([CollectedFamily])
        case failed(any Error)
        case late
        case stillRunning
    }

    private struct State {
        /// One for each collector; nil while it runs.
        var outcomes: [Outcome?]
        var isOver = false
    }

    private let sources: [AsyncSource]
    private let state: Lock<State>
    private let end = OneShot<Void>()

    init(_ sources: [AsyncSource]) {
        self.sources = sources
        state = Lock(State(outcomes: Array(repeating: nil, count: sources.count)))
    }

    /// The outcomes in the order of the sources. Returns when all collectors have returned, at the deadline, or when the
    /// calling task is cancelled.
    func run(until deadline: Instant, _ clock: TimeSource) async -> [Outcome] {
        let tasks = sources.indices.map { index in
            Task { finish(index, await outcome(of: sources[index])) }
        }
        await end.value(until: deadline, on: clock, late: (), ifCancelled: ())
        for task in tasks { task.cancel() }
        return state.withLock { state in
            state.isOver = true
            return state.outcomes.map { $0 ?? .late }
        }
    }

    private func outcome(of source: AsyncSource) async -> Outcome {
        // The deadline may have passed before the task started.
        if Task.isCancelled { return .late }
        return source.claim() ? await source.collect() : .stillRunning
    }

    private func finish(_ index: Int, _ outcome: Outcome) {
        let isLast = state.withLock { state in
            if !state.isOver { state.outcomes[index] = outcome }
            return !state.outcomes.contains { $0 == nil }
        }
        if isLast { end.settle(()) }
    }
}
