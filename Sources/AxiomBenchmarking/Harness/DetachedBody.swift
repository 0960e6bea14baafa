// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch

/// Runs asynchronous code from the synchronous main of a worker, off the main actor.
enum DetachedBody {
    private final class Box<Value: Sendable>: Sendable {
        /// Set once by the task, read once after the semaphore says so.
        let result = Lock<Result<Value, any Error>?>(nil)
    }

    private struct Unfinished: Error {}

    /// Blocks the calling thread, which must not be one of the concurrency pool, until the task has ended.
    static func run<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            box.result.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = box.result.withLock({ $0 }) else { throw Unfinished() }
        return try result.get()
    }
}
