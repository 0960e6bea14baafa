// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The response. A body that is produced while it is sent passes one chunk at a time; the connection is suspended between
/// two chunks.
extension Exchange {
    /// Sends a response. On the connection's thread.
    ///
    /// - Returns: Whether the connection stays open.
    func send(_ response: HTTPResponse) -> Bool {
        if case .reset = response.content {
            connection.reset()
            return false
        }
        var response = affordable(sendable(response))
        response.headers.fill(from: core.responseHeaders)
        let isUnseen = state.withLock { $0.buffered?.finding == .unseen }
        let closes = response.closesConnection || isUnseen || !core.registry.acceptsConnections
        state.withLock { state in
            state.stage = .sending
            // A task that waited for its handler produces its stream itself, and a HEAD has no body.
            guard case .stream(let stream) = response.content, state.task == nil, state.method != .head else { return }
            state.task = Task(executorPreference: core.thread) { await self.produce(stream) }
        }
        return connection.queue(response, closes: closes, exchange: self)
    }

    /// The response, or a bare 500 in place of one that cannot be sent.
    private func sendable(_ response: HTTPResponse) -> HTTPResponse {
        do {
            try response.validateForSending()
            return response
        } catch {
            report(error)
            return .failed
        }
    }

    /// The response, or a 503 in place of one that exceeds a limit. Marks the connection as sending.
    private func affordable(_ response: HTTPResponse) -> HTTPResponse {
        if state.withLock({ $0.method }) == .head { return response }
        switch response.content {
        case .reset: return response
        case .body(let body):
            return core.connections.beginBody(connection.descriptor, body) ? response : .tooManyReaders
        case .stream: return core.connections.beginStream(connection.descriptor) ? response : .tooManyStreams
        }
    }

    // MARK: - Streams

    /// What libmicrohttpd's content callback returns in place of a count.
    enum Read: Int {
        case complete = -1
        case failed = -2
        /// The connection is suspended.
        case later = 0
    }

    /// Copies available bytes of the stream into `buffer`. On the connection's thread.
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

    /// Returns when the whole chunk has been passed to the network.
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
            // After the end of the request `awaitsChunk` is false: a connection does not end while it is suspended.
            resumeStream(&state)
        }
    }
}

/// The chunk of a stream that is to be sent, and the end of the stream. A pure value.
struct ChunkQueue: Sendable {
    enum Taken: Equatable, Sendable {
        case bytes(Int)
        /// No bytes are available yet.
        case nothing
        case end
        case failure
    }

    private enum Ending: Sendable {
        case complete
        case failed
    }

    private var chunk: ArraySlice<UInt8> = []
    private var ending: Ending?

    /// Whether the last chunk has been taken completely.
    var isEmpty: Bool { chunk.isEmpty }

    /// Stores the next chunk. The last one must have been taken.
    mutating func put(_ next: [UInt8]) {
        chunk = next[...]
    }

    /// Ends the stream after the stored chunk.
    mutating func end() {
        ending = ending ?? .complete
    }

    /// Ends the stream at once, incomplete.
    mutating func fail() {
        ending = .failed
        chunk = []
    }

    /// Moves as many bytes as fit into `buffer`.
    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Taken {
        guard chunk.isEmpty else {
            let count = min(buffer.count, chunk.count)
            buffer.copyBytes(from: chunk.prefix(count))
            chunk.removeFirst(count)
            return .bytes(count)
        }
        switch ending {
        case nil: return .nothing
        case .complete: return .end
        case .failed: return .failure
        }
    }
}
