// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// Compresses the stream of one reader, in parts that do not refer to each other, so that a part that many readers get is
/// compressed once.
struct StreamCompressor {
    /// The beginning of a gzip stream (RFC 1952), without name and time.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    private var checksum: UInt = 0
    private var count = 0

    /// The next part of the stream; nil if zlib could not allocate memory.
    ///
    /// - Parameter block: The bytes as ``block(_:)`` compresses them, if that was done.
    mutating func part(_ bytes: [UInt8], compressed block: [UInt8]?) -> [UInt8]? {
        guard let block = block ?? Self.block(bytes) else { return nil }
        defer {
            checksum = crc32(checksum, bytes, UInt32(truncatingIfNeeded: bytes.count))
            count += bytes.count
        }
        return count == 0 ? Self.header + block : block
    }

    /// The end of the stream: an empty block, the checksum and the size.
    var trailer: [UInt8] {
        let words = [UInt32(truncatingIfNeeded: checksum), UInt32(truncatingIfNeeded: count)]
        return [3, 0] + words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// The compressed bytes, up to a byte boundary and without an end; nil if zlib could not allocate memory.
    static func block(_ bytes: [UInt8]) -> [UInt8]? {
        let room = axiom_deflate_bound(bytes.count)
        let block = [UInt8](unsafeUninitializedCapacity: room) { output, written in
            // A window of 15 bits, without header and trailer.
            written = axiom_deflate(bytes, bytes.count, output.baseAddress, room, 6, -15, 8, Z_FULL_FLUSH)
        }
        return block.isEmpty ? nil : block
    }
}
