// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The sending of a body that is produced meanwhile: one chunk at a time, and the connection suspended in between.
extension Exchange {
    /// What libmicrohttpd's content callback returns in place of a count.
    enum Read: Int {
        case complete = -1
        case failed = -2
        /// The connection is suspended.
        case later = 0
    }

    /// Gives the network what there is of the stream. On the connection's thread.
    func readChunk(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (result, producer) = state.withLock { state -> (Int, CheckedContinuation<Void, any Error>?) in
            switch state.chunks.take(into: buffer) {
            case .bytes(let count):
                guard state.chunks.isEmpty else { return (count, nil) }
                defer { state.producer = nil }
                return (count, state.producer)
            case .end: return (Read.complete.rawValue, nil)
            case .failure: return (Read.failed.rawValue, nil)
            case .nothing:
                if state.mayNotSuspend { return (Read.failed.rawValue, nil) }
                state.awaitsChunk = true
                suspend()
                return (Read.later.rawValue, nil)
            }
        }
        producer?.resume()
        return result
    }

    /// Runs the stream to its end.
    func produce(_ stream: HTTPBodyStream) async {
        do {
            try await stream.produce { try await self.offer($0) }
            endStream { $0.end() }
        } catch {
            let isUnwanted = state.withLock { state in
                if case .finished = state.stage { return true }
                return state.peerIsGone || state.mayNotSuspend
            }
            if !(isUnwanted && error is CancellationError) { report(error) }
            endStream { $0.fail() }
        }
    }

    /// Resumes the connection if it waits for a chunk. Under the lock.
    func resumeStream(_ state: inout State) {
        guard state.awaitsChunk else { return }
        state.awaitsChunk = false
        resume()
    }

    /// Returns when the network has taken the whole chunk.
    private func offer(_ chunk: [UInt8]) async throws {
        if chunk.isEmpty { return }
        try await withCheckedThrowingContinuation { continuation in
            let isWanted = state.withLock { state in
                if state.mayNotSuspend { return false }
                if case .finished = state.stage { return false }
                state.chunks.put(chunk)
                state.producer = continuation
                resumeStream(&state)
                return true
            }
            if !isWanted { continuation.resume(throwing: CancellationError()) }
        }
    }

    private func endStream(_ end: (inout ChunkQueue) -> Void) {
        state.withLock { state in
            end(&state.chunks)
            // After the end of the request `awaitsChunk` is off: a connection is not ended while it is suspended.
            resumeStream(&state)
        }
    }
}
