// SPDX-License-Identifier: Apache-2.0

internal import CSnappy

/// Snappy's block format, without the framing of streams: what remote write requires.
enum SnappyBlock {
    /// The compressed bytes. Compression cannot fail, because the target has the size that Snappy asks for.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        let room = snappy_max_compressed_length(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: room) { target, count in
            bytes.withUnsafeBytes { source in
                target.withMemoryRebound(to: CChar.self) { target in
                    var length = room
                    let status = snappy_compress(
                        source.assumingMemoryBound(to: CChar.self).baseAddress,
                        source.count,
                        target.baseAddress,
                        &length
                    )
                    count = status == SNAPPY_OK ? length : 0
                }
            }
        }
    }
}
