// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ContextRuntime {
    /// Runs an operation in a task of its own. The task is cancelled with the caller's task and when the context
    /// disappears, unless it outlives the context.
    ///
    /// The context must not cancel the caller's own task, which continues after the operation. The new task begins
    /// immediately, on the current thread. It costs about 1 µs, and 4 µs more (one turn of the main actor) if the operation
    /// suspends.
    func inTask(
        _ operation: ContextOperation?,
        _ outlives: () -> Bool = { false },
        _ body: @escaping @MainActor () async -> OperationEnd
    ) async -> OperationEnd {
        let (wasCancelled, run) = (Task.isCancelled && !outlives(), OperationRun())
        let started = start(operation) {
            Self.startImmediately { @MainActor in
                if wasCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                let end = await body()
                run.end = end
                return end
            }
        }
        if let end = run.end { return end }
        return await finish(started, run, outlives)
    }

    /// The task of an operation, and its waits for a test.
    typealias Started = (task: Task<OperationEnd, Never>, waits: TestWaits?)

    /// Begins the task of an operation by `make`.
    @inline(__always)
    func start(_ operation: ContextOperation?, _ make: () -> Task<OperationEnd, Never>) -> Started {
        func begin() -> Task<OperationEnd, Never> { operation.map { $0.runs(make) } ?? make() }
        guard let waits = supervisor?.quiescence.makeWaits(parent: TestWaits.current) else { return (begin(), nil) }
        return (TestWaits.bind(waits, begin), waits)
    }

    /// Waits for the end of an operation that is suspended.
    ///
    /// - Parameter run: An object that no other operation has.
    func finish(_ started: Started, _ run: AnyObject, _ outlives: () -> Bool) async -> OperationEnd {
        let (task, run) = (started.task, ObjectIdentifier(run))
        follow(started.waits, of: run)
        defer { unfollow(started.waits, of: run) }
        if outlives() { return await task.value }
        operations[run] = task
        defer { operations[run] = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func follow(_ waits: TestWaits?, of run: ObjectIdentifier) {
        unended += 1
        if let waits { testWaits[run] = waits }
    }

    private func unfollow(_ waits: TestWaits?, of run: ObjectIdentifier) {
        unended -= 1
        if waits != nil { testWaits[run] = nil }
        supervisor?.quiescence.changed()
    }

    /// Begins a task that runs up to its first suspension before this returns, if the system supports it.
    ///
    /// - Parameter body: Isolated to the main actor. Its type does not say so, because a conversion would take a closure and a
    ///   stack frame for each operation.
    @inline(__always)
    static func startImmediately(
        _ body: @escaping @isolated(any) @Sendable () async -> OperationEnd
    ) -> Task<OperationEnd, Never> {
        #if canImport(Darwin)
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task.onMainActor { await body() }
        }
        #endif
        return Task.immediate(executorPreference: inheritedExecutor, operation: body)
    }

    /// Runs work that does not suspend and has no span yet, noted as what the main actor runs and labelled for a profiler.
    func runs<R>(_ work: MainActorWork, _ body: () throws -> R) rethrows -> R {
        guard let spans = reporter?.spans else { return try body() }
        let previous = spans.enter(work, .none)
        defer { spans.leave(previous) }
        guard let label = spans.label(of: work) else { return try body() }
        return try OperationContext.$current.withValue(.current(under: label), operation: body)
    }
}

/// What an operation without a trail and its task share.
@MainActor
private final class OperationRun {
    /// How the operation ended, once it has.
    var end: OperationEnd?
}

/// Times the start and the cancellation of an observation's task.
///
/// On the main actor, like the task: this orders the task's last step with the cancellation.
@MainActor
final class ObservationTimer {
    private let reporter: ContextReporter?
    private let clock: TimeSource
    /// nil if nothing is reported.
    private let madeAt: Instant?
    private var cancelledAt: Instant?

    init(_ reporter: ContextReporter?, _ clock: TimeSource) {
        self.reporter = reporter
        self.clock = clock
        madeAt = reporter == nil ? nil : clock.now
    }

    /// Call when the task takes its first step.
    func began() {
        if let madeAt { reporter?.operationEnded(.taskStartup, since: madeAt, clock) }
    }

    /// Call when the task was cancelled.
    func cancelled() {
        if reporter != nil { cancelledAt = clock.now }
    }

    /// Call when the task takes its last step.
    func ended() {
        if let cancelledAt { reporter?.operationEnded(.cancellation, since: cancelledAt, clock) }
    }
}
