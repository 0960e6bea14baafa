// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Memory for one page, grown as needed and used again for the next: after the first scrapes it allocates nothing.
public struct ExpositionBuffer: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer: the memory belongs to this value alone, which cannot be copied.

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

    /// Lends the contents to `body`; they are valid until it returns.
    public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A copy of the contents.
    public var bytes: [UInt8] {
        [UInt8](UnsafeBufferPointer(start: base, count: count))
    }

    /// Makes sure that `additional` bytes can be put without a further check.
    @inline(__always)
    mutating func reserve(_ additional: Int) {
        if capacity - count < additional { grow(additional) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        capacity = max(capacity * 2, count + additional)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
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

    /// Appends a number as Go's `%g` prints it; needs ``NumberFormat/maximumLength`` bytes of room.
    @inline(__always)
    mutating func put(_ value: Double) {
        count &+= NumberFormat.write(value, to: base + count)
    }
}
