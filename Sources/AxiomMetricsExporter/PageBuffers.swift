// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Memory for one page.
final class PageBuffer: @unchecked Sendable {
    // Unchecked because of the bytes: who took the buffer from its pool writes them; once they are a body's, nobody does
    // until the body has given the buffer back.

    var bytes: ExpositionBuffer

    init(capacity: Int) {
        bytes = ExpositionBuffer(capacity: capacity)
    }
}

/// The memory of pages, which is used for one page after the other: a page is sent from where it was written, and its
/// buffer comes back when the last reader has it.
final class PageBuffers: Sendable {
    /// As many pages as are usually on their way at once: two servers that scrape at the same time. What slow readers
    /// hold beyond that is freed when they are done.
    private static let maximumSpare = 2

    private struct State {
        var spare: [PageBuffer] = []
        /// The size of the last page, so that the next one's buffer need not grow.
        var lastCount = 0
    }

    /// Guards the spare buffers. A buffer is either here, or with the cache, or with one body: never with two of them.
    private let state = Lock(State())

    /// How many buffers wait for a page.
    var spareCount: Int { state.withLock { $0.spare.count } }

    /// An empty buffer, which is the caller's until it gives it away.
    func take() -> PageBuffer {
        let (spare, lastCount) = state.withLock { ($0.spare.popLast(), $0.lastCount) }
        let buffer = spare ?? PageBuffer(capacity: lastCount + lastCount / 8)
        buffer.bytes.removeAll()
        return buffer
    }

    /// Takes a buffer back that nobody uses any longer.
    func putBack(_ buffer: PageBuffer) {
        state.withLock { state in
            state.lastCount = buffer.bytes.count
            if state.spare.count < Self.maximumSpare { state.spare.append(buffer) }
        }
    }

    /// Makes a body of what was written, without copying it. The buffer comes back with the end of the body.
    func body(of buffer: PageBuffer) -> HTTPBody {
        buffer.bytes.withUnsafeBytes { bytes in
            HTTPBody(sharing: bytes) { self.putBack(buffer) }
        }
    }
}
