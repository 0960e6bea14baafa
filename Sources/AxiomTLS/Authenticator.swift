// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
package import AxiomHTTP

/// Decides whether the credentials of a request are right.
///
/// Tokens, and passwords that were right before, are decided at once. Other passwords take the time of bcrypt, and are
/// checked by a ``VerificationQueue``.
final class Authenticator: RequestAuthenticator {
    private let options: HTTPAuthentication
    private let hashes: [String: BcryptHash]
    /// Checked for a user that does not exist.
    private let unknown: BcryptHash
    /// Random for each authenticator, so that a digest means nothing outside it.
    private let key: [UInt8]
    private let tokenDigest: [UInt8]?
    /// Guards the digests of passwords that were right.
    private let accepted = Lock(DigestCache())
    private let queue = VerificationQueue()

    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` that names the option, or `systemFailure` if the
    ///   system has no random numbers.
    init(_ options: HTTPAuthentication) throws(HTTPServerError) {
        do {
            try options.validate()
        } catch {
            throw HTTPServerError(.invalidConfiguration, "authentication: \(error.message)")
        }
        guard let key = KeyedHash.makeKey() else {
            throw HTTPServerError(.systemFailure, "GnuTLS has no random numbers; look at /dev/urandom")
        }
        self.options = options
        self.key = key
        hashes = options.users.mapValues { BcryptHash($0) }
        unknown = .unknown(cost: hashes.values.map(\.cost).max() ?? BcryptHash.allowedCosts.lowerBound)
        tokenDigest = options.scrapeToken.flatMap { KeyedHash.digest([Array($0.utf8)], key: key) }
    }

    func decide(_ credentials: Credentials, acceptsToken: Bool) -> CredentialDecision {
        switch credentials {
        case .none: return .refused
        case .bearer(let token):
            // Digests, so that the time tells nothing about the length of the token.
            guard acceptsToken, let tokenDigest, let digest = KeyedHash.digest([token], key: key) else {
                return .refused
            }
            return SecretMemory.isEqual(digest, tokenDigest) ? .accepted : .refused
        case .basic(let user, let password):
            guard !hashes.isEmpty else { return .refused }
            let isKnown = digest(user, password).map { digest in accepted.withLock { $0.contains(digest) } } ?? false
            return isKnown ? .accepted : .undecided(user: user, password: password)
        }
    }

    func verify(user: String, password: [UInt8], from address: String) async -> CredentialVerdict {
        let (hash, isUser) = (hashes[user] ?? unknown, hashes[user] != nil)
        switch await queue.run(for: address, { hash.matches(password) && isUser }) {
        case nil: return .busy
        case false: return .refused
        case true:
            if let digest = digest(user, password) { accepted.withLock { $0.insert(digest) } }
            return .accepted
        }
    }

    private func digest(_ user: String, _ password: [UInt8]) -> [UInt8]? {
        KeyedHash.digest([Array(user.utf8), password], key: key)
    }

    var challenge: HTTPResponse {
        var response = HTTPResponse.text("This needs credentials.\n", status: .unauthorized)
        if !hashes.isEmpty { response.headers.add("WWW-Authenticate", "Basic realm=\"axiom\", charset=\"UTF-8\"") }
        // A refusal needs a challenge (RFC 9110 section 11.6.1), also if no credentials are configured.
        if options.scrapeToken != nil || hashes.isEmpty {
            response.headers.add("WWW-Authenticate", "Bearer realm=\"axiom\"")
        }
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

/// Digests of passwords that were right. Wrong ones are not kept, so that an attacker cannot displace right ones.
private struct DigestCache: Sendable {
    private static let limit = 128

    private var digests: Set<[UInt8]> = []
    private var order: [[UInt8]] = []

    /// A look-up by hash value reveals nothing: the digests are keyed.
    func contains(_ digest: [UInt8]) -> Bool { digests.contains(digest) }

    mutating func insert(_ digest: [UInt8]) {
        guard digests.insert(digest).inserted else { return }
        order.append(digest)
        if order.count > Self.limit { digests.remove(order.removeFirst()) }
    }
}

extension HTTPAuthentication {
    private static let shortestToken = 16

    /// Checks every option.
    package func validate() throws(AuthenticationProblem) {
        for (name, hash) in users.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }) else {
                throw AuthenticationProblem(
                    .user(name),
                    "the user name \(name.debugDescription) is empty or has a colon or a control character, "
                        + "which basic authentication cannot send; choose another name"
                )
            }
            if let problem = BcryptHash.problem(of: hash) {
                throw AuthenticationProblem(.user(name), "the hash of the user \(name) \(problem)")
            }
        }
        guard let scrapeToken else { return }
        guard scrapeToken.utf8.count >= Self.shortestToken, scrapeToken.utf8.allSatisfy(Self.isTokenByte) else {
            throw AuthenticationProblem(
                .scrapeToken,
                "the scrape token has fewer than \(Self.shortestToken) characters, or others than letters, digits "
                    + "and -._~+/=; make one, for example by `openssl rand -hex 32`"
            )
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
