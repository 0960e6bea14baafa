// SPDX-License-Identifier: Apache-2.0

/// The checksum CRC-32C (Castagnoli), as in iSCSI, ext4 and Kafka: it finds every burst error of up to 32 bits.
package enum CRC32C {
    /// The remainders of all bytes: the polynomial 0x1EDC6F41, reflected.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1 }
    }

    /// The checksum of `bytes`, or of these bytes behind others whose checksum is `previous`.
    package static func checksum(_ bytes: some Sequence<UInt8>, after previous: UInt32 = 0) -> UInt32 {
        bytes.withContiguousStorageIfAvailable { checksum(of: $0, after: previous) }
            ?? Array(bytes).withUnsafeBufferPointer { checksum(of: $0, after: previous) }
    }

    private static func checksum(of bytes: UnsafeBufferPointer<UInt8>, after previous: UInt32) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var rest = ~previous
            // The index is one byte, so it is always in the table.
            for byte in bytes { rest = rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
            return ~rest
        }
    }

    /// The checksum as eight hexadecimal digits.
    package static func digits(_ checksum: UInt32) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
