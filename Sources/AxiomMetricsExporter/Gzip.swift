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
