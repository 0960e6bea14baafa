// SPDX-License-Identifier: Apache-2.0

internal import CGnuTLS
internal import Foundation

/// Secrets in memory: comparison in constant time, erasure, and keyed hashes that stand for them.
package enum SecretMemory {
    static let digestBytes = 32

    /// Compares two secrets. The time depends on the length alone.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && gnutls_memcmp(left, right, left.count) == 0
    }

    /// Overwrites memory. The compiler does not remove that.
    static func erase(_ memory: UnsafeMutableRawPointer?, _ count: Int) {
        if let memory { explicit_bzero(memory, count) }
    }

    /// A random key; nil if the system has no random numbers.
    static func makeKey() -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: digestBytes)
        return gnutls_rnd(GNUTLS_RND_KEY, &key, key.count) == 0 ? key : nil
    }

    /// The HMAC-SHA-256 of some texts, each with its length before it; nil if GnuTLS refuses, as in a FIPS mode in error.
    static func digest(_ texts: [[UInt8]], key: [UInt8]) -> [UInt8]? {
        var message: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt64(text.count).littleEndian) { message.append(contentsOf: $0) }
            message += text
        }
        defer { message.withUnsafeMutableBytes { erase($0.baseAddress, $0.count) } }
        var digest = [UInt8](repeating: 0, count: digestBytes)
        return gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, message, message.count, &digest) == 0 ? digest : nil
    }

    /// The bytes of a text in base 64 (RFC 4648); nil if it is malformed.
    static func decodeBase64(_ text: some StringProtocol) -> [UInt8]? {
        var bytes = Array(text.utf8)
        // GnuTLS ignores line feeds and needs the padding.
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 4), !bytes.contains(where: { $0 <= 0x20 }) else { return nil }
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var (source, result) = (
                gnutls_datum_t(data: buffer.baseAddress, size: CUnsignedInt(buffer.count)), gnutls_datum_t()
            )
            guard gnutls_base64_decode2(&source, &result) == 0, let data = result.data else { return nil }
            defer {
                erase(data, Int(result.size))
                axiom_gnutls_free(data)
            }
            return Array(UnsafeBufferPointer(start: data, count: Int(result.size)))
        }
    }
}
