// SPDX-License-Identifier: Apache-2.0

/// What encrypts connections and checks credentials. The module `AxiomTLS` has it, so that a server without both calls neither
/// GnuTLS nor libcrypt.
package struct SecurityLibrary: Sendable, Hashable {
    /// Reads the files of certificates. Throws ``TLSProblem`` that names the option or the file.
    package typealias MakeCertificates =
        @Sendable (TLSConfiguration, @escaping @Sendable (SecurityEvent) -> Void) throws(TLSProblem) ->
        any ServerCertificates
    /// Throws ``HTTPServerError`` with code `invalidConfiguration` that names the option, or `systemFailure` if the system has no
    /// random numbers.
    package typealias MakeAuthenticator =
        @Sendable (HTTPAuthentication) throws(HTTPServerError) -> any RequestAuthenticator

    let certificates: MakeCertificates
    let authenticator: MakeAuthenticator

    package init(certificates: @escaping MakeCertificates, authenticator: @escaping MakeAuthenticator) {
        (self.certificates, self.authenticator) = (certificates, authenticator)
    }

    /// True: there is one library, and configurations differ in their options.
    package static func == (left: SecurityLibrary, right: SecurityLibrary) -> Bool { true }

    /// Adds nothing.
    package func hash(into hasher: inout Hasher) {}
}

/// The certificates of a running server.
package protocol ServerCertificates: Sendable {
    /// When the certificate in use expires, in seconds since 1970.
    var expiry: Int { get }
    /// The certificate and the key in PEM format, from which libmicrohttpd starts.
    var text: (certificate: [UInt8], key: [UInt8]) { get }
    /// Reads the files now, whether they have changed or not.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` if they cannot be used. The last good ones stay in use.
    func reload() throws(HTTPServerError)
    /// The TLS of a new connection, with the credentials that hold now.
    func connection(from address: String) -> any ServerTLS
    /// Sends an answer over a session of GnuTLS, and ends the session.
    func end(_ session: OpaquePointer, answering answer: [UInt8])
}

/// The TLS of one connection.
package protocol ServerTLS: Sendable {
    /// Prepares a session of GnuTLS before its handshake, and returns false if there is no memory. The session must not outlive
    /// this object.
    func begin(_ session: OpaquePointer) -> Bool
    /// The connection has ended.
    func end()
}

/// Decides whether the credentials of a request are right.
package protocol RequestAuthenticator: Sendable {
    /// - Parameter acceptsToken: Whether the scrape token opens the route.
    func decide(_ credentials: Credentials, acceptsToken: Bool) -> CredentialDecision
    /// Checks a password on another thread. The time is the same whether the user exists or not, if all hashes have one cost.
    func verify(user: String, password: [UInt8], from address: String) async -> CredentialVerdict
    /// The response to a request without right credentials.
    var challenge: HTTPResponse { get }
}

/// What credentials say at once.
package enum CredentialDecision: Sendable, Equatable {
    case accepted
    case refused
    /// The password has to be checked by ``RequestAuthenticator/verify(user:password:from:)``.
    case undecided(user: String, password: [UInt8])
}

/// The result of the check of a password.
package enum CredentialVerdict: Sendable, Equatable {
    case accepted
    case refused
    /// Too many checks wait.
    case busy
}

/// What a server reports of its TLS and of the credentials of its clients. No event has a secret in it.
package enum SecurityEvent: Sendable, Hashable {
    /// Files of certificates were read again and are in use. The certificate of the server expires at this time, in seconds
    /// since 1970.
    case certificatesReloaded(expiry: Int)
    /// Files of certificates cannot be used; the last good ones stay. The cause and the remedy.
    case reloadFailed(String)
    /// The certificate of a client was refused. The address and the cause.
    case clientCertificateRefused(String)
    /// A connection ended before its handshake did.
    case handshakeFailed
    /// A request without credentials, or with wrong ones, was answered 401.
    case credentialsRefused
}
