// SPDX-License-Identifier: Apache-2.0

/// The one chunk of a stream that waits for the network, and how the stream ended. A pure value: no lock, no waiting.
struct ChunkQueue: Sendable {
    enum Taken: Equatable, Sendable {
        case bytes(Int)
        /// Nothing yet.
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

    /// Whether the last chunk has been taken whole.
    var isEmpty: Bool { chunk.isEmpty }

    /// Stores the next chunk. The last must have been taken.
    mutating func put(_ next: [UInt8]) {
        chunk = next[...]
    }

    /// Ends the stream after what is stored.
    mutating func end() {
        ending = ending ?? .complete
    }

    /// Breaks the stream off, at once.
    mutating func fail() {
        ending = .failed
        chunk = []
    }

    /// Moves as many bytes into `buffer` as it takes.
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
