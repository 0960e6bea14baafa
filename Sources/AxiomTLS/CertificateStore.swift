// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import CGnuTLS

/// The credentials that new sessions use. Loads them again when a file has changed.
final class CertificateStore: ServerCertificates {
    private struct State {
        var credentials: TLSCredentials
        /// The signatures of the files when they were last read, whether they could be used or not.
        var signatures: [TLSFiles.Signature?]
    }

    private let configuration: TLSConfiguration
    /// Guards every field. The files are read under it, so that each change is read once: they are small, and sessions
    /// that begin meanwhile need the result.
    private let state: Lock<State>
    private let onEvent: @Sendable (SecurityEvent) -> Void

    /// Reads the files.
    ///
    /// - Throws: ``TLSProblem``.
    init(_ configuration: TLSConfiguration, onEvent: @escaping @Sendable (SecurityEvent) -> Void) throws(TLSProblem) {
        self.configuration = configuration
        self.onEvent = onEvent
        // Before the files are read: a change in between is then noticed later.
        let signatures = TLSFiles.signatures(configuration)
        state = Lock(State(credentials: try TLSCredentials(configuration), signatures: signatures))
    }

    /// The credentials in use, without a look at the files.
    var loaded: TLSCredentials { state.withLock { $0.credentials } }

    var expiry: Int { loaded.expiry }

    var text: (certificate: [UInt8], key: [UInt8]) {
        let files = loaded.files
        return (files.certificate, files.key)
    }

    func connection(from address: String) -> any ServerTLS {
        TLSSession(current(), address: address, onEvent: onEvent)
    }

    func end(_ session: OpaquePointer, answering answer: [UInt8]) {
        gnutls_record_send(session, answer, answer.count)
        gnutls_bye(session, GNUTLS_SHUT_WR)
    }

    /// The credentials for a new session. Examines the files, which takes some microseconds, and reads them if they changed.
    ///
    /// A pair whose certificate is replaced first does not fit for a moment. It is refused like any other unusable pair,
    /// and read again when the key follows, which is a change too.
    func current() -> TLSCredentials {
        let (credentials, event) = state.withLock { state -> (TLSCredentials, SecurityEvent?) in
            let signatures = TLSFiles.signatures(configuration)
            guard signatures != state.signatures else { return (state.credentials, nil) }
            let event = read(signatures, &state)
            return (state.credentials, event)
        }
        if let event { onEvent(event) }
        return credentials
    }

    func reload() throws(HTTPServerError) {
        let event = state.withLock { read(TLSFiles.signatures(configuration), &$0) }
        onEvent(event)
        if case .reloadFailed(let message) = event { throw HTTPServerError(.invalidConfiguration, "tls: \(message)") }
    }

    private func read(_ signatures: [TLSFiles.Signature?], _ state: inout State) -> SecurityEvent {
        state.signatures = signatures
        do throws(TLSProblem) {
            state.credentials = try TLSCredentials(configuration)
            return .certificatesReloaded(expiry: state.credentials.expiry)
        } catch {
            return .reloadFailed("the last good certificates stay in use: \(error.message)")
        }
    }
}
