// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import CGnuTLS
internal import CMicrohttpd
internal import Foundation

/// A connected socket, with or without TLS. The certificate of the server is not verified.
struct Wire {
    /// What a transfer came to.
    enum Outcome: Equatable {
        case bytes(Int)
        /// Nothing can be transferred now.
        case later
        case end
        case failed
    }

    let descriptor: CInt
    private let session: gnutls_session_t?

    /// Shared by all sessions: no trusted authorities and no certificate.
    nonisolated(unsafe) private static let credentials: gnutls_certificate_credentials_t? = {
        var made: gnutls_certificate_credentials_t?
        gnutls_certificate_allocate_credentials(&made)
        return made
    }()

    init(_ descriptor: CInt, isTLS: Bool) {
        self.descriptor = descriptor
        session = isTLS ? Self.makeSession(descriptor) : nil
    }

    private static func makeSession(_ descriptor: CInt) -> gnutls_session_t? {
        var session: gnutls_session_t?
        // GNUTLS_CLIENT, GNUTLS_NONBLOCK and GNUTLS_NO_SIGNAL.
        guard gnutls_init(&session, 1 << 1 | 1 << 3 | 1 << 6) == 0, let session, let credentials else { return nil }
        gnutls_set_default_priority(session)
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_transport_set_int2(session, descriptor, descriptor)
        gnutls_handshake_set_timeout(session, 0)
        return session
    }

    /// Goes on with the handshake; `bytes` when it is complete, also without TLS.
    func shakeHands() -> Outcome {
        guard let session else { return .bytes(0) }
        let code = gnutls_handshake(session)
        return code == 0 ? .bytes(0) : gnutls_error_is_fatal(code) == 0 ? .later : .failed
    }

    func write(_ bytes: [UInt8]) -> Outcome {
        guard let session else {
            let count = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            return count >= 0 ? .bytes(count) : errno == EAGAIN ? .later : .failed
        }
        return Self.outcome(gnutls_record_send(session, bytes, bytes.count))
    }

    func read(into buffer: inout [UInt8]) -> Outcome {
        guard let session else {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return count > 0 ? .bytes(count) : count == 0 ? .end : errno == EAGAIN ? .later : .failed
        }
        let count = gnutls_record_recv(session, &buffer, buffer.count)
        return count == 0 || CInt(count) == GNUTLS_E_PREMATURE_TERMINATION ? .end : Self.outcome(count)
    }

    private static func outcome(_ count: Int) -> Outcome {
        count >= 0 ? .bytes(count) : gnutls_error_is_fatal(CInt(count)) == 0 ? .later : .failed
    }

    func hangUp() {
        if let session { gnutls_deinit(session) }
        close(descriptor)
    }

    /// The first message of a handshake.
    static let clientHello: [UInt8] = {
        var pair: [CInt] = [0, 0]
        socketpair(AF_UNIX, SocketType.stream | SocketType.nonBlocking, 0, &pair)
        let wire = Wire(pair[0], isTLS: true)
        _ = wire.shakeHands()
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = recv(pair[1], &bytes, bytes.count, 0)
        wire.hangUp()
        close(pair[1])
        return Array(bytes.prefix(max(0, count)))
    }()
}
