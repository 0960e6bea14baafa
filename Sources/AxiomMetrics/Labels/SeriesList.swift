// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The labels of a family's series in page order, and their renderings by encoders. All snapshots share the list until a
/// series is added or removed.
final class SeriesList: Sendable {
    /// How an encoder renders labels.
    enum Form: Hashable, Sendable {
        /// The part of a line after the metric name, which may be in quotes inside the braces, with escaped label names.
        case line(isQuoted: Bool, NameEscaping)
        /// The time of creation as in OpenMetrics 2.0.
        case start
        /// A protocol buffers message.
        case message(NameEscaping)
    }

    /// One for each series, sorted, without duplicates.
    let labels: [LabelSet]
    /// When each series was created, in seconds since 1970; empty if that is not known.
    let created: [Double]
    /// Guarded by its lock; each is made when an encoder first needs it.
    private let renderings = Lock<[Form: PackedBytes]>([:])

    /// One series without labels.
    static let unlabelled = SeriesList([.none])

    init(_ labels: [LabelSet], created: [Double] = []) {
        self.labels = labels
        self.created = created
    }

    /// The labels or times of all series in one form, rendered once per list.
    func rendering(_ form: Form, _ render: (_ series: Int, inout [UInt8]) -> Void) -> PackedBytes {
        if let present = renderings.withLock({ $0[form] }) { return present }
        var rendered = PackedBytes()
        for index in labels.indices { rendered.append { render(index, &$0) } }
        rendered.seal()
        renderings.withLock { [rendered] in $0[form] = rendered }
        return rendered
    }
}

/// Many short byte strings in one array, followed by padding: they are copied in blocks, and a copy reads past the end of
/// a piece.
struct PackedBytes: Sendable {
    /// The readable bytes after the last piece.
    static var padding: Int { 16 }

    /// The pieces and, after ``seal()``, the padding.
    private(set) var bytes: [UInt8] = []
    /// The end of each piece.
    private(set) var ends: [Int] = []
    /// The length of the longest piece.
    private(set) var longest = 0

    /// No pieces. Call ``seal()`` after the last one is added.
    init() {}

    /// Packs strings.
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

    /// Adds the padding after the last piece, and frees what the arrays have in reserve.
    mutating func seal() {
        bytes += [UInt8](repeating: 0, count: Self.padding)
        bytes = bytes.withUnsafeBufferPointer { Array($0) }
        ends = ends.withUnsafeBufferPointer { Array($0) }
    }

    /// Passes the pieces to `body`; they are valid until it returns.
    @inline(__always)
    func withPieces(_ body: (PackedPieces) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                // Because of the padding there always is an address.
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

    /// The address and the length of a piece; at least ``PackedBytes/padding`` bytes after it are readable.
    @inline(__always)
    subscript(index: Int) -> (start: UnsafePointer<UInt8>, count: Int) {
        let start = index == 0 ? 0 : ends[index &- 1]
        return (base + start, ends[index] &- start)
    }
}
