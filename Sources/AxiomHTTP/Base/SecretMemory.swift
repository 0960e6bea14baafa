// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Secrets in memory: comparison in constant time and erasure.
package enum SecretMemory {
    /// Compares two secrets. The time depends on the length alone.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    /// Overwrites memory. The compiler does not remove that.
    package static func erase(_ memory: UnsafeMutableRawPointer?, _ count: Int) {
        if let memory { explicit_bzero(memory, count) }
    }

    /// The bytes of a text in base 64 (RFC 4648) with its padding; nil if it is malformed.
    static func decodeBase64(_ text: some StringProtocol) -> [UInt8]? {
        guard !text.isEmpty, var data = Data(base64Encoded: String(text)) else { return nil }
        defer { data.withUnsafeMutableBytes { erase($0.baseAddress, $0.count) } }
        // Foundation accepts more padding than there should be.
        return data.base64EncodedString() == text ? Array(data) : nil
    }
}
