// SPDX-License-Identifier: Apache-2.0

/// 128 bits that tell contents apart. Not for security: two texts with equal hashes can be made on purpose.
///
/// Two sums with different multipliers over words of eight bytes, each finished with the mixer of SplitMix64.
package struct ContentHash: Sendable, Hashable, CustomStringConvertible {
    private var low: UInt64 = 0x243f_6a88_85a3_08d3
    private var high: UInt64 = 0x1319_8a2e_0370_7344

    package init() {}

    package init(of bytes: [UInt8]) {
        update(bytes)
    }

    /// Adds bytes, with their count, so that the border between two parts counts.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            let words = buffer.count / 8
            for index in 0..<words {
                add(buffer.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self).littleEndian)
            }
            var rest: UInt64 = 0
            for index in (words * 8)..<buffer.count { rest = rest << 8 | UInt64(buffer[index]) }
            add(rest)
        }
        add(UInt64(bytes.count))
    }

    package mutating func update(_ text: String) {
        update(Array(text.utf8))
    }

    /// 32 hexadecimal digits.
    package var description: String {
        Self.digits(Self.mixed(low ^ (high << 32 | high >> 32))) + Self.digits(Self.mixed(high &+ Self.mixed(low)))
    }

    private mutating func add(_ word: UInt64) {
        let first = (low ^ word) &* 0x9e37_79b9_7f4a_7c15
        low = first ^ (first >> 29)
        let second = (high &+ word) &* 0xc2b2_ae3d_27d4_eb4f
        high = second ^ (second >> 31)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    private static func digits(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
