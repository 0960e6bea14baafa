// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

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
