// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// The background tasks of one capability: a state machine without tasks and clock.
///
/// Invariants after every transition:
/// - At most one task of a name runs. A task that replaces another one starts when the other one has ended.
/// - Every task that was scheduled starts once, or is withdrawn before it starts. Every task that started ends once.
/// - After ``end()`` no task starts.
struct BackgroundTaskTable<Job: Sendable>: Sendable {
    /// A task, by the order in which the tasks were scheduled.
    typealias Number = Int

    /// The work that a transition requires.
    struct Effects: Sendable {
        var starts: [(number: Number, name: String, job: Job)] = []
        var cancellations: [Number] = []
    }

    /// Totals that never decrease, and the present state. `scheduled = started + withdrawn + waiting`, and
    /// `started = ended + running`.
    struct Counts: Sendable, Hashable {
        var scheduled = 0
        var started = 0
        var ended = 0
        var withdrawn = 0
        var running = 0
        var waiting = 0
    }

    /// The tasks of one name.
    private struct Slot {
        /// The task that runs, and whether it was cancelled.
        var running: (number: Number, isCancelled: Bool)?
        /// The task that starts when the other one has ended.
        var next: (number: Number, job: Job)?
    }

    private var slots: [String: Slot] = [:]
    private var lastNumber = 0
    private(set) var hasEnded = false
    private(set) var counts = Counts()

    /// The names of the tasks that run or will start, in ascending order. A cancelled task is not among them.
    var names: [String] { slots.keys.filter(isScheduled).sorted() }

    /// Whether a task of this name runs or will start.
    func isScheduled(_ name: String) -> Bool {
        guard let slot = slots[name] else { return false }
        return slot.next != nil || slot.running?.isCancelled == false
    }

    /// The number of the running task of a name, cancelled or not.
    func running(_ name: String) -> Number? { slots[name]?.running?.number }

    /// The numbers of all running tasks, cancelled or not, in ascending order.
    var running: [Number] { slots.values.compactMap { $0.running?.number }.sorted() }

    /// Schedules a task in place of that of its name. Returns its number; nil after ``end()``.
    mutating func schedule(_ name: String, _ job: Job, _ effects: inout Effects) -> Number? {
        guard !hasEnded else { return nil }
        _ = cancel(name, &effects)
        lastNumber += 1
        counts.scheduled += 1
        counts.waiting += 1
        slots[name, default: Slot()].next = (lastNumber, job)
        startNext(name, &effects)
        return lastNumber
    }

    /// Withdraws the next task of a name, if it has this number and has not started. Returns whether it did so.
    mutating func withdraw(_ number: Number, _ name: String) -> Bool {
        guard slots[name]?.next?.number == number else { return false }
        dropNext(name)
        return true
    }

    /// Cancels the task of a name, and withdraws the one that would follow. Returns whether there was such a task.
    mutating func cancel(_ name: String, _ effects: inout Effects) -> Bool {
        let wasScheduled = isScheduled(name)
        dropNext(name)
        if let running = slots[name]?.running, !running.isCancelled {
            slots[name]?.running?.isCancelled = true
            effects.cancellations.append(running.number)
        }
        return wasScheduled
    }

    /// Cancels all tasks.
    mutating func cancelAll(_ effects: inout Effects) {
        for name in names { _ = cancel(name, &effects) }
    }

    /// Cancels all tasks, and refuses further ones.
    mutating func end(_ effects: inout Effects) {
        hasEnded = true
        cancelAll(&effects)
    }

    /// A task has ended.
    mutating func ended(_ number: Number, _ name: String, _ effects: inout Effects) {
        guard slots[name]?.running?.number == number else { return }
        slots[name]?.running = nil
        counts.ended += 1
        counts.running -= 1
        startNext(name, &effects)
    }

    private mutating func startNext(_ name: String, _ effects: inout Effects) {
        guard let slot = slots[name], slot.running == nil else { return }
        guard let next = slot.next else {
            slots[name] = nil
            return
        }
        slots[name] = Slot(running: (next.number, false), next: nil)
        counts.waiting -= 1
        counts.started += 1
        counts.running += 1
        effects.starts.append((next.number, name, next.job))
    }

    private mutating func dropNext(_ name: String) {
        guard slots[name]?.next != nil else { return }
        slots[name]?.next = nil
        counts.waiting -= 1
        counts.withdrawn += 1
    }
}

/// The runs of one background task.
struct BackgroundTaskRun: Sendable {
    private let job: BackgroundTasks.Job
    private let clock: TimeSource
    private let backoff: Backoff
    private let report: @Sendable (any Error) async -> Void
    private let signals: BackgroundTaskSignals.Bound

    init(_ job: BackgroundTasks.Job, _ owner: BackgroundTasks, _ signals: BackgroundTaskSignals.Bound) {
        self.job = job
        self.signals = signals
        (clock, backoff, report) = (owner.clock, owner.backoff, owner.report)
    }

    /// Runs the body once, or until the task is cancelled if it has an interval.
    func repeatUntilCancelled() async {
        var failures = 0
        while !Task.isCancelled {
            failures = await runOnce() ? 0 : failures + 1
            guard let interval = job.interval else { return }
            let delay = failures == 0 ? .zero : backoff.delay(beforeRetry: failures - 1)
            guard (try? await clock.sleep(for: interval + delay)) != nil else { return }
        }
    }

    /// - Returns: Whether the run succeeded.
    private func runOnce() async -> Bool {
        let start = clock.now
        do {
            try await job.body()
            signals.ended(.success, nanoseconds: clock.now.nanoseconds(since: start))
            return true
        } catch {
            let isCancelled = Task.isCancelled
            signals.ended(isCancelled ? .cancelled : .failure, nanoseconds: clock.now.nanoseconds(since: start))
            if !(isCancelled && error is CancellationError) { await report(error) }
            return false
        }
    }
}
