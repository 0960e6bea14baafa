// SPDX-License-Identifier: Apache-2.0

/// Renders the labels of one series, on the stack if they take at most 184 bytes, otherwise on the heap.
///
/// The writer is not a closure over borrowed memory, because capturing a parameter pack costs more than the whole look-up.
/// It is not a noncopyable type with a `deinit`, because the compiler (6.3) cannot inline such a type into another module.
/// Therefore the owner of a writer must call ``finish(_:)`` exactly once.
struct LabelWriter {
    private typealias Words = (
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
        UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )

    /// The first 192 bytes; unused after `heap` is allocated.
    private var inline: Words = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    /// Freed by `finish`.
    private var heap: UnsafeMutablePointer<UInt8>?
    /// Excludes the 8 bytes by which a copy may write past the end.
    private var capacity = MemoryLayout<Words>.size - MemoryLayout<UInt64>.size
    private var count = 0
    private var label = 0

    /// Of the values so far.
    private(set) var key: LabelKey

    init(seed: UInt64 = 0) { key = LabelKey(seed: seed) }

    /// Writes the next label of the template, or nothing if the value is empty.
    mutating func append(_ value: String, _ template: LabelTemplate) {
        let opening = template.opening(label)
        label += 1
        guard !value.isEmpty else { return }
        value.withBytes { value in
            key.add(value)
            // Each byte may be escaped; a comma precedes the label and a quote ends it.
            reserve(opening.count + 2 * value.count + 2)
            withBase { base, count in
                if count > 0 { Self.put(UInt8(ascii: ","), base, &count) }
                template.openings.withUnsafeBytes { Self.putOpening($0, opening, base, &count) }
                Self.putEscaped(value, base, &count)
                Self.put(UInt8(ascii: "\""), base, &count)
            }
        }
    }

    /// Passes the bytes to `body` and frees the memory.
    mutating func finish<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        defer { heap?.deallocate() }
        return withBase { base, count in body(UnsafeBufferPointer(start: base, count: count)) }
    }

    private mutating func withBase<Result>(
        _ body: (UnsafeMutablePointer<UInt8>, inout Int) -> Result
    ) -> Result {
        if let heap { return body(heap, &count) }
        return withUnsafeMutablePointer(to: &inline) { words in
            words.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout<Words>.size) { body($0, &count) }
        }
    }

    @inline(__always)
    private mutating func reserve(_ additional: Int) {
        if count &+ additional > capacity { grow(additional) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        capacity = 2 * (count + additional)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + MemoryLayout<UInt64>.size)
        withBase { base, count in larger.update(from: base, count: count) }
        heap?.deallocate()
        heap = larger
    }

    /// Copies 8 bytes at a time; reads and writes up to 7 bytes past the end.
    @inline(__always)
    private static func putOpening(
        _ openings: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        _ base: UnsafeMutablePointer<UInt8>,
        _ count: inout Int
    ) {
        var offset = 0
        while offset < range.count {
            let word = openings.loadUnaligned(fromByteOffset: range.lowerBound &+ offset, as: UInt64.self)
            UnsafeMutableRawPointer(base + count + offset).storeBytes(of: word, as: UInt64.self)
            offset &+= 8
        }
        count &+= range.count
    }

    /// Copies 8 bytes at a time while no byte needs a backslash; writes up to 7 bytes past the end.
    @inline(__always)
    private static func putEscaped(
        _ value: UnsafeRawBufferPointer,
        _ base: UnsafeMutablePointer<UInt8>,
        _ count: inout Int
    ) {
        var index = 0
        while index + 8 <= value.count {
            let word = value.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if needsEscape(word) { return putBytes(value, from: index, base, &count) }
            UnsafeMutableRawPointer(base + count).storeBytes(of: word, as: UInt64.self)
            count &+= 8
            index &+= 8
        }
        let rest = value.count &- index
        guard rest > 0 else { return }
        let word = ByteHash.lastWord(value, count: rest)
        if needsEscape(word) { return putBytes(value, from: index, base, &count) }
        UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        count &+= rest
    }

    @inline(never)
    private static func putBytes(
        _ value: UnsafeRawBufferPointer,
        from start: Int,
        _ base: UnsafeMutablePointer<UInt8>,
        _ count: inout Int
    ) {
        for index in start..<value.count { putEscaped(value[index], base, &count) }
    }

    /// Whether the word contains a backslash, a quote or a line feed.
    @inline(__always)
    private static func needsEscape(_ word: UInt64) -> Bool {
        hasByte(word, UInt8(ascii: "\\")) || hasByte(word, UInt8(ascii: "\"")) || hasByte(word, UInt8(ascii: "\n"))
    }

    /// Hacker's Delight, 6-1: whether a byte of the word equals `byte`.
    @inline(__always)
    private static func hasByte(_ word: UInt64, _ byte: UInt8) -> Bool {
        let zeroWhereEqual = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return (zeroWhereEqual &- 0x0101_0101_0101_0101) & ~zeroWhereEqual & 0x8080_8080_8080_8080 != 0
    }

    @inline(__always)
    private static func putEscaped(_ byte: UInt8, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "\""):
            put(UInt8(ascii: "\\"), base, &count)
            put(byte, base, &count)
        case UInt8(ascii: "\n"):
            put(UInt8(ascii: "\\"), base, &count)
            put(UInt8(ascii: "n"), base, &count)
        default:
            put(byte, base, &count)
        }
    }

    @inline(__always)
    private static func put(_ byte: UInt8, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) {
        base[count] = byte
        count &+= 1
    }
}
