// SPDX-License-Identifier: Apache-2.0

/// Where to push: the URL of a server, credentials, certificates and limits.
///
/// ```swift
/// var endpoint: PushEndpoint = "https://metrics.example.com/api/v1/write"
/// endpoint.credentials = .bearer(token)
/// endpoint.authorityFile = "/etc/ssl/example-ca.pem"
/// ```
/// The values are checked where the endpoint is used. The proxies of the environment apply (`http_proxy`, `no_proxy`), except
/// to servers on the loopback interface. Redirects are not followed, because they would carry credentials elsewhere.
public struct PushEndpoint: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// A URL with the scheme `http` or `https`, without a user, a query and a fragment.
    public var url: String
    /// How to identify to the server. Default: not at all.
    public var credentials = PushCredentials.none
    /// A file with the certificates of the accepted authorities, as PEM. Nil, the default, for those of the system.
    public var authorityFile: String?
    /// The certificate of this client and its key. Default: none.
    public var clientCertificate: ClientCertificate?
    /// Fields to add to each request, such as `X-Scope-OrgID`. Their values are not printed.
    public var headers: [String: String] = [:]
    /// How long a connection may take, from 1 ms. Default: 5 s.
    public var connectTimeout = Duration.seconds(5)
    /// How long a request may take in all, from 1 ms. Default: 30 s.
    public var requestTimeout = Duration.seconds(30)
    /// The most bytes of a response, 1 or more. Default: 65,536. A longer one fails.
    public var maximumResponseBytes = 65_536

    /// A certificate of a client and its private key, in files in PEM.
    public struct ClientCertificate: Hashable, Sendable {
        let certificateFile: String
        let keyFile: String

        /// The files of the certificate and of the key, which must not have a passphrase.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// An endpoint with the default limits.
    public init(_ url: String) { self.url = url }

    /// An endpoint with the default limits.
    public init(stringLiteral url: String) { self.init(url) }

    /// The URL without credentials.
    public var description: String { (try? EndpointURL(url).description) ?? "an invalid URL" }

    /// - Throws: ``PushError`` if a value is out of range.
    func validated(keepsSlash: Bool = false) throws(PushError) -> EndpointURL {
        let url = try EndpointURL(url, keepsSlash: keepsSlash)
        func require(_ isValid: Bool, _ problem: @autoclosure () -> String) throws(PushError) {
            if !isValid { throw PushError(.invalidConfiguration, "\(url): \(problem())") }
        }
        let least = Duration.milliseconds(1)
        let most = Duration.seconds(3_600)
        try require(
            (least...most).contains(connectTimeout),
            "connectTimeout is \(connectTimeout); it has to be in 1 ms...1 h"
        )
        try require(
            (least...most).contains(requestTimeout),
            "requestTimeout is \(requestTimeout); it has to be in 1 ms...1 h"
        )
        try require(
            (1...(1 << 30)).contains(maximumResponseBytes),
            "maximumResponseBytes is \(maximumResponseBytes); it has to be in 1...2^30"
        )
        for (name, value) in headers {
            try require(Self.isToken(name), "the header \"\(name)\" has no valid name; use letters, digits and hyphens")
            try require(Self.isLine(value), "the value of the header \(name) has control characters; remove them")
        }
        if let problem = credentials.problem { throw PushError(.invalidConfiguration, "\(url): \(problem)") }
        return url
    }

    static func isLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7f && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
            }
    }
}

/// How to identify to a server. Neither descriptions nor errors contain the secret.
public struct PushCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    enum Kind: Sendable {
        case none
        case basic(user: String, password: String)
        case bearer(String)
    }

    let kind: Kind

    /// No credentials.
    public static let none = PushCredentials(kind: .none)

    /// A user and a password (RFC 7617). The user must not contain a colon.
    public static func basic(user: String, password: String) -> PushCredentials {
        PushCredentials(kind: .basic(user: user, password: password))
    }

    /// A token (RFC 6750).
    public static func bearer(_ token: String) -> PushCredentials {
        PushCredentials(kind: .bearer(token))
    }

    /// The kind of credentials.
    public var description: String {
        switch kind {
        case .none: "no credentials"
        case .basic: "a user and a password"
        case .bearer: "a bearer token"
        }
    }

    /// The kind of credentials.
    public var debugDescription: String { description }
    /// Without children, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// What is wrong and how to correct it; nil if nothing is.
    var problem: String? {
        switch kind {
        case .none: return nil
        case .basic(let user, let password):
            if user.isEmpty || user.contains(":") { return "the user is empty or contains a colon; name another one" }
            return PushEndpoint.isLine(user + password) ? nil : "the user or the password has control characters"
        case .bearer(let token):
            let isToken = !token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
            return isToken
                ? nil : "the bearer token is empty or has blanks; remove line ends when you read it from a file"
        }
    }
}
