// SPDX-License-Identifier: Apache-2.0

package import AxiomHTTP
internal import AxiomMetrics
internal import CZlib

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

    /// Returns a compressed copy; nil if zlib could not allocate memory.
    ///
    /// - Parameter isSmallest: Whether zlib uses its best level, with smaller blocks, which suits a page whose parts differ.
    ///   The default is its fastest level: metrics are so repetitive that they still shrink to a tenth.
    package static func compress(_ body: HTTPBody, isSmallest: Bool = false) -> HTTPBody? {
        body.withUnsafeBytes { compress($0, isSmallest ? Z_BEST_COMPRESSION : Z_BEST_SPEED, isSmallest ? 7 : 8) }
    }

    private static func compress(_ bytes: UnsafeRawBufferPointer, _ level: Int32, _ memory: Int32) -> HTTPBody? {
        var stream = z_stream()
        // 15 bits of window, and 16 for the gzip header.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, level, Z_DEFLATED, 31, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        // zlib counts in 32 bits. A page of 4 GB is sent uncompressed.
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        let bound = Int(deflateBound(&stream, UInt(count)))
        guard let room = UInt32(exactly: bound) else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bound) { output in
            // zlib's type for input is not const, and it does not write there.
            stream.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = count
            stream.next_out = output.baseAddress
            stream.avail_out = room
            guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
            return HTTPBody(
                copying: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(output)[..<Int(stream.total_out)])
            )
        }
    }
}
