// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomResilience

/// Runs work in the background, once or repeatedly, until the application ends.
///
/// ```swift
/// orchestrator.register(BackgroundTasks.self) { BackgroundTasks($0) }
///
/// try await tasks.schedule("prices", every: .seconds(60)) { try await prices.refresh() }
/// ```
///
/// - A name has one task. A task that is scheduled under the name replaces it: the old one is cancelled, and the new one
///   starts when the old one has ended. Two bodies of one name never run at the same time.
/// - The tasks run at background priority. The interval is measured from the end of a run to the next run, so runs do not pile
///   up.
/// - An error of a run ends at the boundary of the orchestrator, and the next run happens. After consecutive failures the
///   interval grows by the backoff.
/// - The shutdown of the application cancels all tasks and waits for them. A task does not outlive the capability, unless
///   its body ignores its cancellation for longer than ``/Axiom/WaitLimits/termination``.
///
/// Available while the process runs. On Linux nothing starts a process for a task: use a timer of systemd or a job of
/// Kubernetes for that. On Apple's platforms, where the system suspends applications, combine it with the framework
/// `BackgroundTasks`.
public actor BackgroundTasks: Capability {
    struct Job: Sendable {
        let interval: Duration?
        let body: @Sendable () async throws -> Void
    }

    /// The task of the body that runs now, so that a body that cancels or replaces its own task does not wait for itself.
    @TaskLocal static var current: (owner: ObjectIdentifier, number: Int)?

    /// The identity that the scope supplied.
    public nonisolated let identity: ComponentIdentity
    let clock: TimeSource
    let backoff: Backoff
    let report: @Sendable (any Error) async -> Void
    private var table = BackgroundTaskTable<Job>()
    private var signals: BackgroundTaskSignals
    /// The tasks that have not ended.
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// Calls that wait for the end of a task.
    private var ends: [Int: [OneShot<TaskEnd>]] = [:]

    /// Creates the capability, without tasks.
    ///
    /// - Parameters:
    ///   - scope: The scope of the factory.
    ///   - clock: The clock of the intervals and limits; by default that of the orchestrator.
    ///   - backoff: The extra delay before the next run after consecutive failures. Default: exponential from
    ///     1 s to 5 min.
    public init(
        _ scope: borrowing CapabilityScope,
        clock: TimeSource? = nil,
        backoff: Backoff = .exponential(base: .seconds(1), cap: .seconds(300))
    ) {
        identity = scope.identity
        report = scope.report
        signals = BackgroundTaskSignals(scope.identity)
        self.clock = clock ?? scope.identity.clock
        self.backoff = backoff
    }

    /// Whether tasks can be scheduled: until ``terminate()``.
    public var isAvailable: Bool { !table.hasEnded }

    /// The names of the tasks that run or will run, in ascending order.
    package var scheduled: [String] { table.names }

    /// Whether a task of this name runs or will run.
    package func isScheduled(_ name: String) -> Bool { table.isScheduled(name) }

    var counts: BackgroundTaskTable<Job>.Counts { table.counts }

    /// Schedules a task in place of that of its name. Returns when the old one has ended; the new one then starts.
    ///
    /// If the old one does not end within `limit`, the new one is withdrawn. If the body of the old one calls this method,
    /// nothing waits, and the new one starts when the body has ended.
    ///
    /// - Parameters:
    ///   - name: The name of the task, for errors and metrics. Use few names that are known in advance.
    ///   - interval: The time from the end of a run to the next run, longer than zero. Nil, the default, for one run.
    ///   - limit: How long to wait for the end of the old task.
    ///   - body: The work. It should end when its task is cancelled.
    /// - Throws: ``BackgroundTaskError`` if the name is empty, the interval is not longer than zero, the application has
    ///   ended, or the old task does not end in time; `CancellationError` if the caller is cancelled while it waits. In
    ///   each case the new task does not start.
    public func schedule(
        _ name: String,
        every interval: Duration? = nil,
        within limit: Duration = .seconds(5),
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard !name.isEmpty else { throw BackgroundTaskError.invalid(name, "empty name", "a text") }
        if let interval, interval <= .zero {
            throw BackgroundTaskError.invalid(name, "interval \(interval)", "longer than zero, or nil for one run")
        }
        let old = table.running(name)
        let number = change { table, effects in table.schedule(name, Job(interval: interval, body: body), &effects) }
        guard let number else { throw BackgroundTaskError.ended(name) }
        guard let old else { return }
        let end = await end(of: old, within: limit)
        // The old task may have ended since, and the new one have started.
        guard end != .ended, table.withdraw(number, name) else { return }
        throw end == .late ? BackgroundTaskError.overdue(name, limit) as any Error : CancellationError()
    }

    /// Cancels the task of a name, and waits for its end. Does nothing if there is none.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: Whether there was such a task.
    /// - Throws: ``BackgroundTaskError`` if the task does not end in time; `CancellationError` if the caller is cancelled
    ///   while it waits. The task stays cancelled.
    @discardableResult
    public func cancel(_ name: String, within limit: Duration = .seconds(5)) async throws -> Bool {
        let old = table.running(name)
        let wasScheduled = change { table, effects in table.cancel(name, &effects) }
        guard let old else { return wasScheduled }
        switch await end(of: old, within: limit) {
        case .ended: return wasScheduled
        case .late: throw BackgroundTaskError.overdue(name, limit)
        case .cancelled: throw CancellationError()
        }
    }

    /// Cancels all tasks, and waits for their ends. The wait has no limit of its own, except that of
    /// ``/Axiom/WaitLimits/termination`` at the shutdown; it ends if the caller is cancelled.
    public func cancelAll() async {
        let running = table.running
        change { table, effects in table.cancelAll(&effects) }
        for number in running { _ = await end(of: number, within: nil) }
    }

    /// Cancels all tasks, refuses further ones, and waits for the ends of the tasks.
    public func terminate() async {
        change { table, effects in table.end(&effects) }
        await cancelAll()
    }

    // MARK: Tasks

    private func change<R>(
        _ transition: (inout BackgroundTaskTable<Job>, inout BackgroundTaskTable<Job>.Effects) -> R
    )
        -> R
    {
        var effects = BackgroundTaskTable<Job>.Effects()
        let result = transition(&table, &effects)
        for number in effects.cancellations { tasks[number]?.cancel() }
        for (number, name, job) in effects.starts { start(number, name, job) }
        return result
    }

    private func start(_ number: Int, _ name: String, _ job: Job) {
        let run = BackgroundTaskRun(job, self, signals[name])
        let current = (ObjectIdentifier(self), number)
        // axiom:ignore hidden-dependency The executor is that of the task which calls; the global part only counts.
        tasks[number] = Task.detached(executorPreference: inheritedExecutor, priority: .background) {
            await Self.$current.withValue(current) { await run.repeatUntilCancelled() }
            await self.ended(number, name)
        }
    }

    private func ended(_ number: Int, _ name: String) {
        tasks[number] = nil
        for end in ends.removeValue(forKey: number) ?? [] { end.settle(.ended) }
        change { table, effects in table.ended(number, name, &effects) }
    }

    /// Waits for the end of a task. The body of the task itself does not wait.
    private func end(of number: Int, within limit: Duration?) async -> TaskEnd {
        if let current = Self.current, current == (ObjectIdentifier(self), number) { return .ended }
        guard tasks[number] != nil else { return .ended }
        let end = OneShot<TaskEnd>()
        ends[number, default: []].append(end)
        guard let limit else { return await end.value(ifCancelled: .cancelled) }
        let deadline = clock.now.advanced(by: limit)
        return await end.value(until: deadline, on: clock, late: .late, ifCancelled: .cancelled)
    }
}

/// How the wait for the end of a task ended.
private enum TaskEnd: Sendable {
    case ended
    case late
    case cancelled
}
