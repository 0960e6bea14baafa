// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Runs the jobs of actors one after the other on a queue of its own.
///
/// The work of a disk may block its thread. The threads of the cooperative pool, which all other tasks share, must not
/// block; so an actor that uses the disk has this executor:
///
/// ```swift
/// actor Files {
///     private let executor = DiskExecutor("files")
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
package final class DiskExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates an executor. The label names its queue in a debugger.
    package init(_ label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    /// Runs a job after those that were enqueued before it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Ends the process with a message if the calling thread does not run a job of this executor.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
