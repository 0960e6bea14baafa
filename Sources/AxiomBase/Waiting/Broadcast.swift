// SPDX-License-Identifier: Apache-2.0

/// Delivers values to any number of streams, each with a buffer of its own. A slow reader misses the oldest values.
package final class Broadcast<Value: Sendable>: Sendable {
    private struct State {
        var latest: Value?
        var lastID: UInt64 = 0
        var streams: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var isFinished = false
    }

    /// How many values are kept for a reader by default.
    private let limit: Int
    /// Continuations are fed, finished and released outside of the lock: the end of a stream takes it again, and a
    /// deinitializer may be user code.
    private let state: Lock<State>

    /// Makes a broadcast without streams.
    ///
    /// - Parameters:
    ///   - limit: How many values are kept for a reader.
    ///   - latest: The value that a new stream begins with. If it is nil, a stream begins with the next value.
    package init(keeping limit: Int, beginningWith latest: Value? = nil) {
        self.limit = limit
        state = Lock(State(latest: latest))
    }

    deinit { finish() }

    /// Whether no stream is read.
    package var isEmpty: Bool { state.withLock { $0.streams.isEmpty } }

    /// The number of streams that are read.
    package var count: Int { state.withLock { $0.streams.count } }

    /// The last value, if streams begin with it.
    package var latest: Value? { state.withLock { $0.latest } }

    /// The values from now on. A stream ends when it is released, and by ``finish()``.
    package func stream(keeping limit: Int? = nil) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self,
            bufferingPolicy: .bufferingNewest(limit ?? self.limit)
        )
        let id: UInt64? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.lastID += 1
            state.streams[state.lastID] = continuation
            // Under the lock, so that no newer value comes before it. It runs no code of the reader.
            if let latest = state.latest { continuation.yield(latest) }
            return state.lastID
        }
        if let id {
            continuation.onTermination = { [weak self] _ in self?.remove(id) }
        } else {
            continuation.finish()
        }
        return stream
    }

    /// Passes a value to all streams. Call it from one thread at a time, so that all readers see the same order.
    ///
    /// - Returns: How many readers missed a value.
    @discardableResult
    package func publish(_ value: Value) -> Int {
        let streams = state.withLock { state in
            if state.latest != nil { state.latest = value }
            return Array(state.streams.values)
        }
        return streams.count { stream in
            if case .dropped = stream.yield(value) { true } else { false }
        }
    }

    /// Ends all streams; their readers still get what is in the buffers. Until ``reopen()``, a new stream ends at once.
    package func finish() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            state.isFinished = true
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    /// Allows new streams after ``finish()``.
    package func reopen() { state.withLock { $0.isFinished = false } }

    private func remove(_ id: UInt64) {
        let removed = state.withLock { $0.streams.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}
