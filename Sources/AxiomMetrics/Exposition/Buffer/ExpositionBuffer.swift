// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Memory for one page, grown as needed and used again for the next: after the first scrapes it allocates nothing.
public struct ExpositionBuffer: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: the memory belongs to this value alone, which cannot be copied.

    /// How many bytes one step of ``put(_:_:)`` copies; as many lie behind what was reserved.
    static let block = 16

    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The bytes written.
    public private(set) var count = 0

    /// Makes an empty buffer with room for `capacity` bytes; at least 4,096.
    public init(capacity: Int = 65_536) {
        self.capacity = max(capacity, 4_096)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    /// Forgets the contents and keeps the memory.
    public mutating func removeAll() {
        count = 0
    }

    /// Lends the contents to `body`. They stay where they are until the buffer is written again or ends.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A copy of the contents.
    public var bytes: [UInt8] {
        [UInt8](UnsafeBufferPointer(start: base, count: count))
    }

    /// The contents as text.
    public var text: String {
        String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// Makes sure that `additional` bytes can be put without a further check.
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

    /// Appends bytes for which room was reserved, in blocks: for short pieces this is faster than a call of `memcpy`.
    ///
    /// - Parameter source: At least ``block`` bytes behind `count` must be readable.
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

    /// Appends bytes that were written before, from position `start` on; room was reserved.
    @inline(__always)
    mutating func putAgain(_ start: Int, _ length: Int) {
        put(UnsafePointer(base + start), length)
    }

    /// Takes back the last bytes.
    @inline(__always)
    mutating func removeLast(_ length: Int) {
        count &-= length
    }

    /// Appends bytes for which room was reserved.
    @inline(__always)
    mutating func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            memcpy(base + count, start, source.count)
            count &+= source.count
        }
    }

    /// Appends a byte for which room was reserved.
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

    /// Appends the eight bytes of a number, the lowest first; room was reserved. NaN is always the same: Prometheus
    /// takes one of its bit patterns, `0x7ff0000000000002`, for the end of a series.
    @inline(__always)
    mutating func putLittleEndian(_ value: Double) {
        let bits = value.isNaN ? Double.nan.bitPattern : value.bitPattern
        UnsafeMutableRawPointer(base + count).storeBytes(of: bits.littleEndian, as: UInt64.self)
        count &+= 8
    }

    /// Appends a base-128 varint, for which ten bytes were reserved.
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

    /// Writes what `body` appends as a length-delimited message: its length as a varint, and then itself.
    ///
    /// - Parameter room: How many bytes the length will probably take, 1...5. A wrong guess costs that the message is
    ///   moved.
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
