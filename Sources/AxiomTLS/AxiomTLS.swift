// SPDX-License-Identifier: Apache-2.0

public import AxiomHTTP

extension TLSConfiguration {
    /// Creates a configuration with the certificate of a server and the defaults for all else.
    public init(certificateFile: String, keyFile: String) {
        self.init(.gnuTLS, certificateFile: certificateFile, keyFile: keyFile)
    }
}

extension HTTPAuthentication {
    /// Creates a requirement. Without users and token, every request is refused, except exempt ones.
    public init(users: [String: String] = [:], scrapeToken: String? = nil, exemptsHealthChecks: Bool = false) {
        self.init(.gnuTLS, users: users, scrapeToken: scrapeToken, exemptsHealthChecks: exemptsHealthChecks)
    }
}

extension SecurityLibrary {
    /// Encrypts with GnuTLS, and checks passwords with libcrypt.
    fileprivate static let gnuTLS = SecurityLibrary(
        certificates: { options, onEvent throws(TLSProblem) in try CertificateStore(options, onEvent: onEvent) },
        authenticator: { options throws(HTTPServerError) in try Authenticator(options) }
    )
}
