// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import CGnuTLS

/// The TLS of one connection. libmicrohttpd creates the session of GnuTLS and runs the handshake. This object chooses the
/// credentials and decides on the certificate of the client.
///
/// libmicrohttpd has one pair of credentials for its whole life, and its own callbacks cannot change the authorities of
/// clients. So each session gets its credentials here, when libmicrohttpd reports the new connection: that is before the
/// first byte is read. The object lives until libmicrohttpd has freed the session.
final class TLSSession: ServerTLS {
    private let credentials: TLSCredentials
    private let address: String
    private let onEvent: @Sendable (SecurityEvent) -> Void
    private let hasFinished = Lock(false)

    init(_ credentials: TLSCredentials, address: String, onEvent: @escaping @Sendable (SecurityEvent) -> Void) {
        self.credentials = credentials
        self.address = address
        self.onEvent = onEvent
    }

    func begin(_ session: gnutls_session_t) -> Bool {
        guard credentials.apply(to: session) else { return false }
        gnutls_session_set_ptr(session, Unmanaged.passUnretained(self).toOpaque())
        gnutls_handshake_set_hook_function(
            session,
            GNUTLS_HANDSHAKE_FINISHED.rawValue,
            GNUTLS_HOOK_POST,
            handshakeMessagePassed
        )
        switch credentials.configuration.clientAuthentication {
        case .none: gnutls_certificate_server_set_request(session, GNUTLS_CERT_IGNORE)
        case .request, .verifyIfGiven: gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST)
        case .requireAny, .requireAndVerify: gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE)
        }
        if credentials.configuration.clientAuthentication.verifies {
            gnutls_session_set_verify_function(session, clientCertificateArrived)
        }
        return true
    }

    func end() {
        if !hasFinished.withLock({ $0 }) { onEvent(.handshakeFailed) }
    }

    fileprivate func finished() {
        hasFinished.withLock { $0 = true }
    }

    /// Decides on the certificate of the client, during the handshake.
    ///
    /// - Returns: Whether the handshake goes on.
    fileprivate func accepts(_ session: gnutls_session_t) -> Bool {
        guard let refusal = ClientCertificate.refusal(in: session, credentials.configuration) else { return true }
        onEvent(.clientCertificateRefused("\(address): the client certificate was refused: \(refusal)"))
        // libmicrohttpd closes the connection without an alert, and the client would not learn the reason.
        gnutls_alert_send(session, GNUTLS_AL_FATAL, GNUTLS_A_BAD_CERTIFICATE)
        return false
    }
}

private let handshakeMessagePassed: gnutls_handshake_hook_func = { session, _, _, incoming, _ in
    if incoming != 0, let session, let own = gnutls_session_get_ptr(session) {
        Unmanaged<TLSSession>.fromOpaque(own).takeUnretainedValue().finished()
    }
    return 0
}

private let clientCertificateArrived: @convention(c) (gnutls_session_t?) -> CInt = { session in
    guard let session, let own = gnutls_session_get_ptr(session) else { return GNUTLS_E_CERTIFICATE_ERROR }
    let accepts = Unmanaged<TLSSession>.fromOpaque(own).takeUnretainedValue().accepts(session)
    return accepts ? 0 : GNUTLS_E_CERTIFICATE_ERROR
}
