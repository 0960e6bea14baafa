// SPDX-License-Identifier: Apache-2.0

internal import CSnappy

/// Snappy's block format, without the framing of streams: what remote write requires.
enum SnappyBlock {
    /// The compressed bytes. Compression cannot fail, because the target has the size that Snappy asks for.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        filled(snappy_max_compressed_length(bytes.count), from: bytes, snappy_compress) ?? []
    }

    /// The bytes that were compressed; nil for other bytes.
    static func uncompress(_ bytes: [UInt8]) -> [UInt8]? {
        var length = 0
        let status = bytes.withUnsafeBytes {
            snappy_uncompressed_length($0.assumingMemoryBound(to: CChar.self).baseAddress, $0.count, &length)
        }
        return status == SNAPPY_OK ? filled(length, from: bytes, snappy_uncompress) : nil
    }

    private typealias Conversion = (
        UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?
    ) -> snappy_status

    /// What a function of Snappy writes for `bytes`; nil if it fails.
    private static func filled(_ room: Int, from bytes: [UInt8], _ convert: Conversion) -> [UInt8]? {
        var isValid = false
        let result = [UInt8](unsafeUninitializedCapacity: room) { target, count in
            bytes.withUnsafeBytes { source in
                target.withMemoryRebound(to: CChar.self) { target in
                    var length = room
                    let source = source.assumingMemoryBound(to: CChar.self)
                    isValid = convert(source.baseAddress, source.count, target.baseAddress, &length) == SNAPPY_OK
                    count = isValid ? length : 0
                }
            }
        }
        return isValid ? result : nil
    }
}
