// SPDX-License-Identifier: Apache-2.0

internal import CZlib

/// The content coding gzip, which every receiver of OTLP over HTTP accepts.
enum RequestCompression {
    /// The compressed bytes; nil if they have more than 4 GB, or if zlib could not allocate memory.
    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        let room = axiom_deflate_bound(bytes.count)
        let compressed = [UInt8](unsafeUninitializedCapacity: room) { output, written in
            // 15 bits of window, and 16 for the gzip header. Metrics shrink to a tenth at the fastest level.
            written = axiom_deflate(bytes, bytes.count, output.baseAddress, room, Z_BEST_SPEED, 31, 8, Z_FINISH)
        }
        return compressed.isEmpty ? nil : compressed
    }
}
