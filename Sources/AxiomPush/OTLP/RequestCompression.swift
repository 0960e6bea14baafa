// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The content coding gzip, which every receiver of OTLP over HTTP accepts.
enum RequestCompression {
    /// The compressed bytes; nil if they have more than 4 GB, or if zlib could not allocate memory.
    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        // 15 bits of window, and 16 for the gzip header. Metrics shrink to a tenth at the fastest level.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(&stream, Z_BEST_SPEED, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        guard let bound = UInt32(exactly: deflateBound(&stream, UInt(count))) else { return nil }
        var isComplete = false
        let compressed = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: Int(bound)) { output, written in
                // zlib's type for input is not const, and it does not write there.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = count
                stream.next_out = output.baseAddress
                stream.avail_out = bound
                isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
                written = Int(bound - stream.avail_out)
            }
        }
        return isComplete ? compressed : nil
    }
}
