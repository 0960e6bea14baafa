// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import CCrypt
internal import CGnuTLS

/// The bcrypt hash of a password. The library `libcrypt` of the system computes it.
struct BcryptHash: Sendable {
    /// A cost of 16 takes seconds. Above it, a request would wait for most of a minute.
    static let allowedCosts = 4...16

    /// The most bytes of a password that bcrypt uses.
    static let longestPassword = 72

    private let text: String
    let cost: Int

    /// - Parameter text: A hash without a ``problem(of:)``.
    init(_ text: String) {
        self.text = text
        cost = Self.cost(of: text) ?? 0
    }

    /// A hash of this cost that no known password has.
    static func unknown(cost: Int) -> BcryptHash {
        BcryptHash("$2b$\(cost < 10 ? "0" : "")\(cost)$" + String(repeating: ".", count: 53))
    }

    /// What is wrong with a text that should be a hash; nil if nothing is. The answer does not quote the text.
    static func problem(of text: String) -> String? {
        guard let cost = cost(of: text) else {
            return "is no bcrypt hash; make one, for example by `htpasswd -nBC 10 NAME` without the name and the colon"
        }
        guard allowedCosts.contains(cost) else {
            return
                "has the cost \(cost); \(allowedCosts.lowerBound) to \(allowedCosts.upperBound) are allowed: make one, "
                + "for example by `htpasswd -nBC 10 NAME`"
        }
        return nil
    }

    private static func cost(of text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix),
            bytes[6] == UInt8(ascii: "$"),
            bytes[7...].allSatisfy(isDigit), bytes[4...5].allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(String(decoding: bytes[4...5], as: UTF8.self))
    }

    /// The digits of bcrypt's base 64.
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2E...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Whether it is the hash of a password. Slow on purpose: each step of the cost doubles the time.
    ///
    /// A password with a zero has no hash, because C would ignore what follows it. Neither has one of more than
    /// ``longestPassword`` bytes, because bcrypt would ignore the rest.
    func matches(_ password: [UInt8]) -> Bool {
        guard !password.contains(0), password.count <= Self.longestPassword else { return false }
        let memory = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        memory.initialize(to: crypt_data())
        defer {
            SecretMemory.erase(memory, MemoryLayout<crypt_data>.size)
            memory.deallocate()
        }
        var phrase = (password + [0]).map { CChar(bitPattern: $0) }
        defer { phrase.withUnsafeMutableBytes { SecretMemory.erase($0.baseAddress, $0.count) } }
        guard let made = crypt_r(phrase, text, memory) else { return false }
        // A failure is reported as a text that is no hash.
        return SecretMemory.isEqual(Array(String(cString: made).utf8), Array(text.utf8))
    }
}

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
