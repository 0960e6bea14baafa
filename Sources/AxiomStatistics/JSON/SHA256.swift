// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
internal import CryptoKit
internal import Foundation
#else
internal import CNettle
#endif

/// The checksum SHA-256, from CryptoKit on Apple's platforms and from Nettle elsewhere. It detects edited files; nothing
/// secret depends on it. Nettle, because libmicrohttpd loads it anyway, through GnuTLS.
enum SHA256Digest {
    /// The digest in 64 lower-case hexadecimal digits.
    static func hex(_ text: String) -> String {
        digest(Array(text.utf8)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        #if canImport(CryptoKit)
        return Array(SHA256.hash(data: Data(bytes)))
        #else
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        axiom_sha256(bytes, bytes.count, &digest)
        return digest
        #endif
    }
}
