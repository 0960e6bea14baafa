// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Foundation

/// A thread for work that blocks.
///
/// On Linux, Swift tasks run on the threads of Dispatch's global queues, so work that blocks there delays tasks.
package struct WorkerThread: Sendable {
    fileprivate final class Work: Sendable {
        /// Added to the nice value of the thread, so that the scheduler prefers the threads of the application. Linux has a nice
        /// value for each thread.
        let niceness: CInt
        let run: @Sendable () -> Void

        init(_ niceness: CInt, _ run: @escaping @Sendable () -> Void) {
            (self.niceness, self.run) = (niceness, run)
        }
    }

    private let thread: pthread_t

    /// Starts the thread; nil if the process may have no more. The caller must call either ``join()`` or ``detach()``.
    init?(niceness: CInt = 0, _ run: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(niceness, run))
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

    /// Allows the thread to end without a join.
    func detach() {
        pthread_detach(thread)
    }

    /// Runs `work` on a new thread, or on the calling thread if the process may have no more.
    package static func run(niceness: CInt = 0, _ work: @escaping @Sendable () -> Void) {
        guard let thread = WorkerThread(niceness: niceness, work) else { return work() }
        thread.detach()
    }
}

/// The thread's function. The thread retains its work until it ends.
private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    axiom_name_thread("axiom-http")
    let work = Unmanaged<WorkerThread.Work>.fromOpaque(context).takeRetainedValue()
    if work.niceness > 0 { _ = nice(work.niceness) }
    work.run()
    return nil
}
