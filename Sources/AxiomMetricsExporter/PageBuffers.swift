// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomHTTP
internal import AxiomMetrics
internal import CZlib

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

/// Compression of pages by zlib.
package enum Gzip {
    /// Whether the response is compressed, by the `Accept-Encoding` header: its `q` of gzip, or of `*`, must be above 0 and
    /// not below that of `identity`.
    package static func isWanted(by request: HTTPRequest) -> Bool {
        let items = WeightedItem.list(request.headers.list("Accept-Encoding") ?? "")
        func weight(_ names: Set<String>) -> Double? { items.first { names.contains($0.value) }?.weight }
        guard let gzip = weight(["gzip", "x-gzip"]) ?? weight(["*"]), gzip > 0 else { return false }
        return gzip >= weight(["identity"]) ?? 0
    }

    /// Returns a compressed copy; nil if zlib could not allocate memory, or for 4 GB.
    ///
    /// - Parameter isSmallest: Whether zlib uses its best level, with smaller blocks, which suits a page whose parts differ.
    ///   The default is its fastest level: metrics are so repetitive that they still shrink to a tenth.
    package static func compress(_ body: HTTPBody, isSmallest: Bool = false) -> HTTPBody? {
        body.withUnsafeBytes { compress($0, isSmallest ? Z_BEST_COMPRESSION : Z_BEST_SPEED, isSmallest ? 7 : 8) }
    }

    private static func compress(_ bytes: UnsafeRawBufferPointer, _ level: Int32, _ memory: Int32) -> HTTPBody? {
        let room = axiom_deflate_bound(bytes.count)
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { output in
            // 15 bits of window, and 16 for the gzip header.
            let (input, result) = (bytes.baseAddress, output.baseAddress)
            let count = axiom_deflate(input, bytes.count, result, room, level, 31, memory, Z_FINISH)
            return count == 0 ? nil : HTTPBody(copying: UnsafeRawBufferPointer(rebasing: output[..<count]))
        }
    }
}
