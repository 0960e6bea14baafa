// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread for work that blocks.
///
/// On Linux the tasks of Swift run on the same threads as Dispatch's global queues, so work that blocks there keeps
/// tasks from running.
struct WorkerThread: Sendable {
    fileprivate final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let thread: pthread_t

    /// Starts the thread; `nil` when the process may have no more. Either ``join()`` or ``detach()`` is to be called.
    init?(_ run: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(run))
        var thread = pthread_t()
        let outcome = pthread_create(&thread, nil, runWork, work.toOpaque())
        guard outcome == 0 else {
            work.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the end of the thread.
    func join() {
        pthread_join(thread, nil)
    }

    /// Lets the thread end by itself.
    func detach() {
        pthread_detach(thread)
    }

    /// Runs `work` on a thread of its own, or here when the process may have no more threads.
    static func run(_ work: @escaping @Sendable () -> Void) {
        guard let thread = WorkerThread(work) else { return work() }
        thread.detach()
    }
}

/// The thread holds its work, and gives it up when it ends.
private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<WorkerThread.Work>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
