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
    static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let completion = Completion<Result>()
        DispatchQueue.global(qos: .utility).async {
            completion.complete(with: Swift.Result { try body() })
        }
        return try await completion.value
    }
}

/// A result that one thread delivers and one task awaits.
private final class Completion<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case completed(Result<Value, any Error>)
    }

    /// Continuations are resumed outside the lock.
    private let state = Lock(State.open)

    /// The result.
    var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { park($0) }
            } onCancel: {
                complete(with: .failure(CancellationError()))
            }
        }
    }

    /// Delivers the result. Only the first call has an effect.
    func complete(with result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open:
                state = .completed(result)
                return nil
            case .awaited(let continuation):
                state = .completed(result)
                return continuation
            case .completed:
                return nil
            }
        }
        continuation?.resume(with: result)
    }

    private func park(_ continuation: CheckedContinuation<Value, any Error>) {
        let result = state.withLock { state -> Result<Value, any Error>? in
            if case .completed(let result) = state { return result }
            state = .awaited(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }
}
