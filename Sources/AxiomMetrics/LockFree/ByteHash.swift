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
        if bytes.count >= 8 {
            let word = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
            return UInt64(littleEndian: word) &>> UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        }
        var word: UInt64 = 0
        for index in (bytes.count &- count..<bytes.count).reversed() { word = word &<< 8 | UInt64(bytes[index]) }
        return word
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        return high ^ low
    }
}
