// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch
internal import Foundation

/// Runs the handlers of a server on a thread of its own, one step at a time, in the order in which they can go on.
///
/// The threads of Swift's pool belong to the application. A handler that makes a page takes milliseconds: many clients at
/// once would occupy every thread of the pool, and the actions of the application would wait for them. As the preferred
/// executor of their tasks, this thread also runs the child tasks of handlers and the actors that they call, but no task
/// that they begin with `Task { }`.
///
/// The thread has a lower priority than those of the application, so that the scheduler prefers these if all processors
/// are busy. It starts with the first job, and ends when it had none for ``idleLimit``.
final class HandlerThread: TaskExecutor {
    private struct State {
        var jobs = FIFO<UnownedJob>()
        var isRunning = false
    }

    private static let idleLimit = DispatchTimeInterval.seconds(10)

    /// Guarded by its lock. Jobs run outside of it.
    private let state = Lock(State())
    /// Counts the jobs that were added and not taken yet.
    private let added = DispatchSemaphore(value: 0)
    /// Added to the nice value of the thread, 0...19.
    private let niceness: CInt

    init(niceness: CInt) { self.niceness = niceness }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            _ = state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        added.signal()
        guard mustStart else { return }
        if let thread = WorkerThread(niceness: niceness, { [self] in run() }) { return thread.detach() }
        // The process may have no more threads. A handler must not be lost, and the caller may hold a lock that it takes.
        DispatchQueue.global(qos: .utility).async { [self] in run() }
    }

    private func run() {
        while let job = takeOrEnd(isTimedOut: added.wait(timeout: .now() + Self.idleLimit) == .timedOut) {
            execute(job)
        }
    }

    /// The next job; nil if there is none, and the thread no longer counts as running.
    private func takeOrEnd(isTimedOut: Bool) -> UnownedJob? {
        state.withLock { state in
            if let job = state.jobs.popFirst()?.element {
                // The wait may have ended just before the job was added. Then its signal is left.
                if isTimedOut { _ = added.wait(timeout: .now()) }
                return job
            }
            state.isRunning = false
            return nil
        }
    }

    private func execute(_ job: UnownedJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
