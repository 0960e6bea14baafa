// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Memory for one page.
final class PageBuffer: @unchecked Sendable {
    // Unchecked because of the bytes. They are written between `take` and `body(of:)` or `putBack`, by one caller, and not
    // again before the release of the body.

    var bytes: ExpositionBuffer

    init(capacity: Int) {
        bytes = ExpositionBuffer(capacity: capacity)
    }
}

/// A pool of buffers for pages. A page is sent from the buffer that it was written to, and the buffer returns to the pool
/// when the page has been sent to its last reader.
final class PageBuffers: Sendable {
    /// Enough for two servers that scrape at the same time. Further buffers, of slow readers, are freed after use.
    private static let maximumSpare = 2

    private struct State {
        var spare: [PageBuffer] = []
        /// The size of the last page, so that the next one's buffer need not grow.
        var lastCount = 0
    }

    /// Guards every field. A buffer is owned by the pool, by the cache or by one body.
    private let state = Lock(State())

    /// How many buffers are unused.
    var spareCount: Int { state.withLock { $0.spare.count } }

    /// Passes an empty buffer to the caller.
    func take() -> PageBuffer {
        let (spare, lastCount) = state.withLock { ($0.spare.popLast(), $0.lastCount) }
        let buffer = spare ?? PageBuffer(capacity: lastCount + lastCount / 8)
        buffer.bytes.removeAll()
        return buffer
    }

    /// Returns an unused buffer to the pool.
    func putBack(_ buffer: PageBuffer) {
        state.withLock { state in
            state.lastCount = buffer.bytes.count
            if state.spare.count < Self.maximumSpare { state.spare.append(buffer) }
        }
    }

    /// Creates a body of the buffer's bytes without copying them. The release of the body returns the buffer to the pool.
    func body(of buffer: PageBuffer) -> HTTPBody {
        buffer.bytes.withUnsafeBytes { bytes in
            HTTPBody(sharing: bytes) { self.putBack(buffer) }
        }
    }
}
