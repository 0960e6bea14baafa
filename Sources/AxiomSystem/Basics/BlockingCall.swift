// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch

/// Runs system calls that may block outside the cooperative pool.
///
/// A read of a sensor takes milliseconds, and one of a network file system may never return.
enum BlockingCall {
    /// Runs `body` on a thread of Dispatch and waits for its result.
    ///
    /// - Throws: The error of `body`. `CancellationError` at once if the task is cancelled; the body then runs to its end
    ///   unobserved.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let result = OneShot<Result<Value, any Error>>()
        DispatchQueue.global(qos: .utility).async {
            result.settle(Result { try body() })
        }
        return try await result.value(ifCancelled: .failure(CancellationError())).get()
    }
}
