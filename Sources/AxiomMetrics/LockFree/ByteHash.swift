// SPDX-License-Identifier: Apache-2.0

/// A fast keyed hash of short byte strings: folded 64 by 64 bit multiplication, as in wyhash
/// (https://github.com/wangyi-fudan/wyhash, public domain). Not a cryptographic hash.
package enum ByteHash {
    /// The hash of `bytes`. With an unknown seed it is not possible to choose bytes that collide.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var state = seed ^ 0xa076_1d64_78bd_642f
        var offset = 0
        while offset + 16 <= bytes.count {
            state = fold(
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ 0xe703_7ed1_a0b4_28db,
                bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) ^ state
            )
            offset += 16
        }
        let (low, high) = tail(bytes, count: bytes.count &- offset)
        let mixed = fold(low ^ 0x8ebc_6af0_9c88_c6e3, high ^ state)
        return fold(mixed ^ seed, UInt64(truncatingIfNeeded: bytes.count) ^ 0x5899_65cc_7537_4cc3)
    }

    /// The hash of a label value, which has at least one byte.
    @inline(__always)
    static func value(_ bytes: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
        var (start, count, state) = (bytes, count, seed)
        while count > 15 {
            state = fold(
                start.loadUnaligned(as: UInt64.self) ^ 0xe703_7ed1_a0b4_28db,
                start.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ state
            )
            start += 16
            count &-= 16
        }
        let length = UInt64(truncatingIfNeeded: count) &<< 56
        if count < 8 { return fold(0x8ebc_6af0_9c88_c6e3 ^ shortWord(start, count), length ^ state) }
        return fold(
            start.loadUnaligned(as: UInt64.self) ^ 0x8ebc_6af0_9c88_c6e3,
            shortWord(start + 8, count &- 8) ^ length ^ state
        )
    }

    /// The last 0 to 15 bytes as two words, padded with zeros. The length is hashed separately.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawBufferPointer, count: Int) -> (UInt64, UInt64) {
        guard count >= 8 else { return (count == 0 ? 0 : lastWord(bytes, count: count), 0) }
        let low = bytes.loadUnaligned(fromByteOffset: bytes.count &- count, as: UInt64.self)
        return (low, count == 8 ? 0 : lastWord(bytes, count: count &- 8))
    }

    /// The last 1 to 7 bytes in memory order, padded with zeros.
    @inline(__always)
    static func lastWord(_ bytes: UnsafeRawBufferPointer, count: Int) -> UInt64 {
        guard let start = bytes.baseAddress else { return 0 }
        return shortWord(start + (bytes.count &- count), count)
    }

    /// 1 to 7 bytes in memory order, padded with zeros. Loads only these bytes: a load across two earlier stores, as of the
    /// halves of a short string, waits for both.
    @inline(__always)
    private static func shortWord(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count == 0 { return 0 }
        if count >= 4 {
            let low = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
            let high = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            return UInt64(low) | UInt64(high) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        let middle = count &>> 1
        return UInt64(start.load(as: UInt8.self))
            | UInt64(start.load(fromByteOffset: middle, as: UInt8.self)) &<< UInt64(truncatingIfNeeded: 8 &* middle)
            | UInt64(start.load(fromByteOffset: count &- 1, as: UInt8.self))
            &<< UInt64(truncatingIfNeeded: 8 &* (count &- 1))
    }

    /// Whether the bytes at two addresses are equal: faster than a call of `memcmp` if they are few.
    @inline(__always)
    static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        var offset = 0
        while offset &+ 8 <= count {
            let word = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset &+= 8
        }
        guard offset < count else { return true }
        if count >= 16 {
            return left.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        }
        return shortWord(left + offset, count &- offset) == shortWord(right + offset, count &- offset)
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        return high ^ low
    }
}
