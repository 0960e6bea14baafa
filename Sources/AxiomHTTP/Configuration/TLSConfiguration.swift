// SPDX-License-Identifier: Apache-2.0

/// How a server encrypts, and which client certificates it asks for.
///
/// The names of versions, cipher suites and curves are those of exporter-toolkit's `web.yml`, which are Go's.
/// ``HTTPServerConfiguration/tls`` takes it; its initializer is in the module `AxiomTLS`. The files are read at the start, and again at the next handshake after one of
/// them has changed. A changed file that cannot be used is reported, and the last good ones stay in use.
public struct TLSConfiguration: Sendable, Hashable {
    /// A version of TLS. Older ones are not offered (RFC 8996).
    public enum Version: String, Sendable, Hashable, CaseIterable, Comparable {
        /// TLS 1.2 (RFC 5246).
        case tls12 = "TLS12"
        /// TLS 1.3 (RFC 8446).
        case tls13 = "TLS13"

        /// Whether the left version is the older one.
        public static func < (left: Version, right: Version) -> Bool { left == .tls12 && right == .tls13 }
    }

    /// Which certificates clients have to show.
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// None; the server does not ask.
        case none = "NoClientCert"
        /// The server asks. Any certificate, or none, is accepted. Proves nothing.
        case request = "RequestClientCert"
        /// Any certificate is accepted, and one is required. Proves nothing: anybody can make one.
        case requireAny = "RequireAnyClientCert"
        /// A certificate that is shown must be valid. None need be shown.
        case verifyIfGiven = "VerifyClientCertIfGiven"
        /// A valid certificate is required.
        case requireAndVerify = "RequireAndVerifyClientCert"

        package var verifies: Bool { self == .verifyIfGiven || self == .requireAndVerify }
    }

    /// The path of the certificate of the server in PEM format, followed by those of intermediate authorities.
    public var certificateFile: String

    /// The path of the private key of the certificate in PEM format, without a password.
    public var keyFile: String

    /// Which certificates clients have to show. Default none.
    public var clientAuthentication = ClientAuthentication.none

    /// The path of the certificates of the authorities that sign client certificates, in PEM format. Required if client
    /// certificates are verified, and only then allowed. A client certificate must have a chain to one of them, be within
    /// its dates, and be made for TLS clients (its extended key usage, if it has one).
    public var clientAuthoritiesFile: String?

    /// The subject alternative names of which a client certificate must have one: DNS names, IP addresses, e-mail
    /// addresses or URIs, compared exactly. Empty, the default, allows any. Requires `requireAndVerify`.
    public var allowedClientNames: [String] = []

    /// The oldest version. Default TLS 1.2.
    public var minimumVersion = Version.tls12

    /// The newest version. Default TLS 1.3.
    public var maximumVersion = Version.tls13

    /// The cipher suites in the order of preference, by their names in Go, such as
    /// `TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256`. Empty, the default, means those with AES-GCM and ChaCha20-Poly1305.
    ///
    /// GnuTLS combines each key exchange with each cipher, so the list must contain every combination of those that it
    /// has. The ciphers of the list hold for TLS 1.3 too, unlike in Go.
    public var cipherSuites: [String] = []

    /// The curves of the key exchange in the order of preference: `X25519`, `CurveP256`, `CurveP384` and `CurveP521`.
    /// Empty, the default, means all of them, in this order.
    public var curves: [String] = []

    /// Whether the order of the server's cipher suites decides, rather than that of the client. Default true.
    public var prefersServerCipherSuites = true

    let library: SecurityLibrary

    /// `AxiomTLS` has the initializer for users.
    package init(_ library: SecurityLibrary, certificateFile: String, keyFile: String) {
        (self.library, self.certificateFile, self.keyFile) = (library, certificateFile, keyFile)
    }

    /// Checks the options that need no file.
    package func validateOptions() throws(TLSProblem) {
        if minimumVersion > maximumVersion {
            throw TLSProblem(
                .minimumVersion,
                "the oldest version \(minimumVersion.rawValue) is newer than the newest, \(maximumVersion.rawValue); "
                    + "raise the newest, or lower the oldest"
            )
        }
        if clientAuthentication.verifies, clientAuthoritiesFile == nil {
            throw TLSProblem(
                .clientAuthentication,
                "\(clientAuthentication.rawValue) needs the authorities that sign client certificates; name their file"
            )
        }
        if !clientAuthentication.verifies, clientAuthoritiesFile != nil {
            throw TLSProblem(
                .clientAuthoritiesFile,
                "authorities are named, but \(clientAuthentication.rawValue) verifies no client certificate; choose "
                    + "RequireAndVerifyClientCert, or leave the authorities out"
            )
        }
        if !allowedClientNames.isEmpty, clientAuthentication != .requireAndVerify {
            throw TLSProblem(
                .allowedClientNames,
                "names of clients are allowed, but \(clientAuthentication.rawValue) does not prove the names of all "
                    + "clients; choose RequireAndVerifyClientCert, or leave the names out"
            )
        }
    }
}
