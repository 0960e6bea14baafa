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
            state.signatures = signatures
            do throws(TLSProblem) {
                state.credentials = try TLSCredentials(configuration)
                return (state.credentials, .certificatesReloaded)
            } catch {
                return (state.credentials, .reloadFailed("the last good certificates stay in use: \(error.message)"))
            }
        }
        if let event { onEvent(event) }
        return credentials
    }
}
