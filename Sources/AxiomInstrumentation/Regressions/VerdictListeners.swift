// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The streams of changed verdicts.
final class VerdictListeners: Sendable {
    private struct State {
        var lastID: UInt64 = 0
        var streams: [UInt64: AsyncStream<RegressionVerdict>.Continuation] = [:]
        var isFinished = false
    }

    /// How many changes are queued for a listener before the oldest is dropped.
    static let capacity = 256

    /// Guarded by its lock. Streams are fed and finished outside of it, because the end of a stream takes it again.
    private let state = Lock(State())

    /// The changes from now on.
    func stream() -> AsyncStream<RegressionVerdict> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RegressionVerdict.self,
            bufferingPolicy: .bufferingNewest(Self.capacity)
        )
        let id: UInt64? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.streams[state.lastID] = continuation
            return state.lastID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    /// Publishes a change. Call it from one thread at a time, so that all listeners see the same order.
    func publish(_ change: RegressionVerdict) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(change) }
    }

    /// Allows new streams after ``finish()``.
    func reopen() {
        state.withLock { $0.isFinished = false }
    }

    /// Ends all streams. Until ``reopen()``, a new stream ends at once.
    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    private func forget(_ id: UInt64) {
        _ = state.withLock { $0.streams.removeValue(forKey: id) }
    }
}
