// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Compression of a stream in parts that do not refer to each other, so that a part that many readers get is compressed
/// once. A reader gets ``header`` and then the ``block(_:)`` of each part, in any number, and at the end a trailer.
enum StreamCompression {
    /// The beginning of a gzip stream (RFC 1952), without name and time.
    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// The compressed bytes, up to a byte boundary and without an end; nil if zlib could not allocate memory.
    static func block(_ bytes: [UInt8]) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        // A window of 15 bits, without header and trailer.
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        // The bound is that of a finished stream; a flush adds up to six bytes to it.
        let bound = Int(deflateBound(&stream, UInt(count))) + 16
        return bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: bound) { output, written in
                // zlib's type for input is not const, and it does not write there.
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = count
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(bound)
                deflate(&stream, Z_FULL_FLUSH)
                written = bound - Int(stream.avail_out)
            }
        }
    }

    /// The end of the stream of `count` bytes with this checksum.
    static func trailer(checksum: UInt32, count: Int) -> [UInt8] {
        let size = UInt32(truncatingIfNeeded: count)
        // The last block is empty.
        return [3, 0] + bytes(checksum) + bytes(size)
    }

    /// The checksum of the bytes so far, continued by `bytes`.
    static func checksum(_ checksum: UInt32, _ bytes: [UInt8]) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32(UInt(checksum), bytes, UInt32(truncatingIfNeeded: bytes.count)))
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
