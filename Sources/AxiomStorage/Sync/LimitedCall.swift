// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// Calls code of the application, which may ignore that it is cancelled at its time limit.
///
/// A `Timeout` waits for the end of what it cancels. This call does not wait longer than ``grace`` after that.
struct LimitedCall: Sendable {
    /// How long after its cancellation a call may take to end.
    static let grace = Duration.seconds(5)

    let timeout: Timeout
    let clock: TimeSource

    /// Calls `body`. A cancellation of the calling task cancels `body`.
    ///
    /// - Parameters:
    ///   - error: What is thrown if `body` does not end.
    ///   - late: Receives what `body` returned after the error was thrown, or the `TimeoutError` if it threw.
    /// - Throws: `error`; the error of `body`; a `TimeoutError`.
    func run<Answer: Sendable>(
        overdue error: any Error,
        _ body: @escaping @Sendable () async throws -> Answer,
        late: @escaping @Sendable (Result<Answer, any Error>) async -> Void
    ) async throws -> Answer {
        let end = OneShot<Result<Answer, any Error>?>()
        let limit = clock.now.advanced(by: timeout.limit)
        let call = Task.detached(executorPreference: inheritedExecutor) { [timeout] in
            // The timeout discards what is returned after its limit.
            let answer = Lock<Answer?>(nil)
            let result: Result<Answer, any Error>
            do {
                let value = try await timeout.run {
                    let value = try await body()
                    answer.withLock { $0 = value }
                    return value
                }
                result = .success(value)
            } catch {
                result = .failure(error)
            }
            guard !end.settle(result) else { return }
            await late(answer.withLock { $0 }.map { .success($0) } ?? result)
        }
        let watch = Task.detached(executorPreference: inheritedExecutor) { [clock] in
            // The grace begins when the call is cancelled, which is later than the limit after the machine was suspended.
            guard (try? await clock.sleep(until: limit)) != nil, (try? await clock.sleep(for: Self.grace)) != nil
            else { return }
            end.settle(nil)
        }
        defer { watch.cancel() }
        let result = await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            call.cancel()
        }
        guard let result else { throw error }
        return try result.get()
    }
}
