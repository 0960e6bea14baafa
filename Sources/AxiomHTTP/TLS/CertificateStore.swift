// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The credentials that new sessions use. Loads them again when a file has changed.
final class CertificateStore: Sendable {
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

    /// Reads the files now, whether they have changed or not.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` if they cannot be used. The last good ones stay in use.
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
