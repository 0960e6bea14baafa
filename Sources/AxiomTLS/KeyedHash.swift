// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import CGnuTLS

/// Keyed hashes that stand for secrets.
enum KeyedHash {
    private static let bytes = 32

    /// A random key; nil if the system has no random numbers.
    static func makeKey() -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: bytes)
        return gnutls_rnd(GNUTLS_RND_KEY, &key, key.count) == 0 ? key : nil
    }

    /// The HMAC-SHA-256 of some texts, each with its length before it; nil if GnuTLS refuses, as in a FIPS mode in error.
    static func digest(_ texts: [[UInt8]], key: [UInt8]) -> [UInt8]? {
        var message: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt64(text.count).littleEndian) { message.append(contentsOf: $0) }
            message += text
        }
        defer { message.withUnsafeMutableBytes { SecretMemory.erase($0.baseAddress, $0.count) } }
        var digest = [UInt8](repeating: 0, count: bytes)
        return gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, message, message.count, &digest) == 0 ? digest : nil
    }
}
