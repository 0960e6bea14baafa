// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Memory for a page. It grows as needed and is reused for the next page: after the first pages nothing is allocated.
public struct ExpositionBuffer: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: this value, which cannot be copied, owns the memory.

    /// The bytes that ``put(_:_:)`` copies in one step, and the spare bytes after reserved memory.
    static var block: Int { PackedBytes.padding }

    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The bytes written.
    package private(set) var count = 0

    /// Creates an empty buffer with room for `capacity` bytes; at least 4,096.
    public init(capacity: Int = 65_536) {
        self.capacity = max(capacity, 4_096)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    /// Removes the contents and keeps the memory.
    public mutating func removeAll() {
        count = 0
    }

    /// Passes the contents to `body`. The address is valid until the buffer is changed or destroyed.
    package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A copy of the contents.
    public var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: base, count: count)) }

    /// The contents as text.
    public var text: String {
        String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// Reserves memory so that `additional` bytes can be put without a further check.
    @inline(__always)
    mutating func reserve(_ additional: Int) {
        if capacity &- count < additional &+ Self.block { grow(additional &+ Self.block) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        capacity = max(capacity * 2, count + additional)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    /// Appends bytes in blocks, which for short pieces is faster than `memcpy`. The room must be reserved.
    ///
    /// - Parameter source: At least ``block`` bytes after the last one must be readable.
    @inline(__always)
    mutating func put(_ source: UnsafePointer<UInt8>, _ length: Int) {
        var source = UnsafeRawPointer(source)
        var target = UnsafeMutableRawPointer(base + count)
        count &+= length
        var rest = length
        repeat {
            target.storeBytes(of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
            source += Self.block
            target += Self.block
            rest &-= Self.block
        } while rest > 0
    }

    /// Appends a copy of bytes from position `start`. The room must be reserved.
    @inline(__always)
    mutating func putAgain(_ start: Int, _ length: Int) {
        put(UnsafePointer(base + start), length)
    }

    @inline(__always)
    mutating func removeLast(_ length: Int) {
        count &-= length
    }

    /// Appends bytes. The room must be reserved.
    @inline(__always)
    mutating func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            memcpy(base + count, start, source.count)
            count &+= source.count
        }
    }

    /// Appends a literal of at least two characters. The room must be reserved.
    @inline(__always)
    mutating func put(_ literal: StaticString) {
        memcpy(base + count, literal.utf8Start, literal.utf8CodeUnitCount)
        count &+= literal.utf8CodeUnitCount
    }

    /// Appends a byte. The room must be reserved.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        base[count] = byte
        count &+= 1
    }

    /// Appends an integer in decimal; needs ``NumberFormat/maximumLength`` bytes of room.
    @inline(__always)
    mutating func put(_ value: UInt64) {
        count &+= NumberFormat.write(value, to: base + count)
    }

    /// Appends a number as 8 little-endian bytes. The room must be reserved. All NaNs are written as one bit pattern, because
    /// Prometheus uses another one, `0x7ff0000000000002`, for the end of a series.
    @inline(__always)
    mutating func putLittleEndian(_ value: Double) {
        let bits = value.isNaN ? Double.nan.bitPattern : value.bitPattern
        UnsafeMutableRawPointer(base + count).storeBytes(of: bits.littleEndian, as: UInt64.self)
        count &+= 8
    }

    /// Appends a base-128 varint. Ten bytes must be reserved.
    @inline(__always)
    mutating func putVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            base[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count &+= 1
            rest >>= 7
        }
        base[count] = UInt8(truncatingIfNeeded: rest)
        count &+= 1
    }

    /// Appends what `body` appends as a length-delimited message: the length as a varint, followed by the bytes.
    ///
    /// - Parameter room: The expected bytes of the length, 1...5. After a wrong guess the message is moved.
    @inline(__always)
    mutating func putMessage(room: Int, _ body: (inout ExpositionBuffer) -> Void) {
        reserve(room)
        let start = count
        count &+= room
        body(&self)
        finishMessage(start, room)
    }

    private mutating func finishMessage(_ start: Int, _ room: Int) {
        let length = count &- start &- room
        let needed = length < 0x80 ? 1 : (70 &- UInt64(length).leadingZeroBitCount) / 7
        if needed != room {
            reserve(needed)
            memmove(base + start + needed, base + start + room, length)
        }
        count = start
        putVarint(UInt64(length))
        count &+= length
    }

    /// Appends a time in seconds without an exponent; needs ``NumberFormat/maximumLength`` bytes of room.
    mutating func putPlain(_ value: Double) {
        count &+= NumberFormat.writePlain(value, to: base + count)
    }

    /// Appends a number as Go's `%g` prints it; needs ``NumberFormat/maximumLength`` bytes of room.
    @inline(__always)
    mutating func put(_ value: Double) {
        count &+= NumberFormat.write(value, to: base + count)
    }
}
