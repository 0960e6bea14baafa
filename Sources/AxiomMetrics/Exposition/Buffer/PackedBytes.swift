// SPDX-License-Identifier: Apache-2.0

/// Many short pieces of bytes, one after the other, with room behind the last: pieces are copied in blocks, and reading
/// past a piece's end must stay inside the memory.
struct PackedBytes: Sendable {
    /// The pieces and, from ``seal()`` on, the room.
    private(set) var bytes: [UInt8] = []
    /// Where each piece ends.
    private(set) var ends: [Int] = []
    /// The bytes of the longest piece.
    private(set) var longest = 0

    /// No pieces yet. After the last one ``seal()`` is due.
    init() {}

    /// Packs texts.
    init(_ pieces: [String]) {
        for piece in pieces { append { $0 += Array(piece.utf8) } }
        seal()
    }

    /// The number of bytes in all pieces.
    var total: Int { ends.last ?? 0 }

    /// Adds the piece that `write` appends to the bytes.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        longest = max(longest, bytes.count - start)
        ends.append(bytes.count)
    }

    /// Adds the room behind the last piece.
    mutating func seal() {
        bytes += [UInt8](repeating: 0, count: ExpositionBuffer.block)
    }

    /// Lends the pieces to `body`; they are valid until it returns.
    @inline(__always)
    func withPieces(_ body: (PackedPieces) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                // The room makes sure that there is an address.
                guard let base = bytes.baseAddress else { return }
                body(PackedPieces(base: base, ends: ends))
            }
        }
    }
}

/// Borrowed pieces.
struct PackedPieces {
    fileprivate let base: UnsafePointer<UInt8>
    fileprivate let ends: UnsafeBufferPointer<Int>

    var count: Int { ends.count }

    /// The address and the length of a piece; at least ``ExpositionBuffer/block`` bytes behind it can be read.
    @inline(__always)
    subscript(index: Int) -> (start: UnsafePointer<UInt8>, count: Int) {
        let start = index == 0 ? 0 : ends[index &- 1]
        return (base + start, ends[index] &- start)
    }
}
