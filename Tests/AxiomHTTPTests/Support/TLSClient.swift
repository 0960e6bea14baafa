// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import CGnuTLS
import Foundation

/// A TLS connection of GnuTLS to a server at this machine. Its calls block, so each runs on a thread of its own.
final class TLSClient: Sendable {
    enum Failure: Error, Equatable {
        case cannotConnect
        /// The handshake or a transfer failed; the alert of the server, or the error of GnuTLS.
        case failed(String)
    }

    struct Options: Sendable {
        /// The certificate of the authority that signed that of the server.
        var authority: String
        /// The certificate and the key to show.
        var identity: (certificate: String, key: String)?
        var priorities = "NORMAL"
    }

    /// Each session keeps the pointer.
    nonisolated(unsafe) private static let serverHost = strdup("localhost")

    nonisolated(unsafe) private let session: gnutls_session_t
    nonisolated(unsafe) private let credentials: gnutls_certificate_credentials_t
    private let descriptor: CInt
    private let received = Lock<[UInt8]>([])

    init(port: Int, _ options: Options) async throws {
        let descriptor = try await offload { try Self.connect(port) }
        let (session, credentials) = try Self.makeSession(options, descriptor)
        (self.session, self.credentials, self.descriptor) = (session, credentials, descriptor)
        try await offload { [self] in
            var code: CInt
            repeat { code = gnutls_handshake(self.session) } while code < 0 && gnutls_error_is_fatal(code) == 0
            if code < 0 { throw Failure.failed(reason(code)) }
        }
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
        close(descriptor)
    }

    private static func connect(_ port: Int) throws -> CInt {
        let descriptor = StreamSocket.make()
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        guard StreamSocket.connect(descriptor, to: address) == 0 else {
            close(descriptor)
            throw Failure.cannotConnect
        }
        return descriptor
    }

    private static func makeSession(
        _ options: Options,
        _ descriptor: CInt
    ) throws -> (gnutls_session_t, gnutls_certificate_credentials_t) {
        var (session, credentials): (gnutls_session_t?, gnutls_certificate_credentials_t?)
        gnutls_certificate_allocate_credentials(&credentials)
        gnutls_certificate_set_x509_trust_file(credentials, options.authority, GNUTLS_X509_FMT_PEM)
        if let (certificate, key) = options.identity {
            gnutls_certificate_set_x509_key_file(credentials, certificate, key, GNUTLS_X509_FMT_PEM)
        }
        // GNUTLS_CLIENT, GNUTLS_NO_SIGNAL, and GNUTLS_FORCE_CLIENT_CERT: shows a certificate of any authority.
        gnutls_init(&session, 1 << 1 | 1 << 6 | 1 << 9)
        guard let session, let credentials, gnutls_priority_set_direct(session, options.priorities, nil) == 0 else {
            throw Failure.cannotConnect
        }
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_session_set_verify_cert(session, Self.serverHost, 0)
        gnutls_transport_set_int2(session, descriptor, descriptor)
        return (session, credentials)
    }

    private func reason(_ code: CInt) -> String {
        if code == GNUTLS_E_FATAL_ALERT_RECEIVED {
            return gnutls_alert_get_name(gnutls_alert_get(session)).map { String(cString: $0) } ?? "alert"
        }
        return gnutls_strerror(code).map { String(cString: $0) } ?? "\(code)"
    }

    // MARK: - Facts

    /// The version, the key exchange and the cipher, such as `(TLS1.3)-(ECDHE-SECP256R1)-…`.
    var summary: String {
        guard let text = gnutls_session_get_desc(session) else { return "" }
        defer { axiom_gnutls_free(text) }
        return String(cString: text)
    }

    /// The common name of the server's certificate.
    var serverName: String {
        var (count, certificate): (CUnsignedInt, gnutls_x509_crt_t?) = (0, nil)
        guard let list = gnutls_certificate_get_peers(session, &count), count > 0,
            gnutls_x509_crt_init(&certificate) == 0, let certificate
        else { return "" }
        defer { gnutls_x509_crt_deinit(certificate) }
        gnutls_x509_crt_import(certificate, list, GNUTLS_X509_FMT_DER)
        var (name, size) = ([CChar](repeating: 0, count: 256), 256)
        gnutls_x509_crt_get_dn_by_oid(certificate, "2.5.4.3", 0, 0, &name, &size)
        return String(decoding: name.prefix(size).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: - Transfer

    func send(_ text: String) async throws {
        try await offload { [self] in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
                if count < 0 { throw Failure.failed(reason(CInt(count))) }
                rest.removeFirst(count)
            }
        }
    }

    func request(
        _ method: String,
        _ path: String,
        headers: String = "",
        body: String = ""
    ) async throws
        -> RawClient.Response
    {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try await send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\(length)\r\n\(body)")
        return try await response()
    }

    /// Reads the next response, whose head has a `Content-Length`.
    func response() async throws -> RawClient.Response {
        try await offload { [self] in
            var response = RawClient.Response()
            while true {
                let bytes = received.withLock { $0 }
                if let end = Self.end(ofHead: bytes) {
                    response.head = String(decoding: bytes[..<end], as: UTF8.self)
                    response.status = Int(response.head.dropFirst(9).prefix(3)) ?? 0
                    let length = response.header("Content-Length").flatMap(Int.init) ?? 0
                    if bytes.count >= end + length {
                        response.body = String(decoding: bytes[end..<(end + length)], as: UTF8.self)
                        received.withLock { $0.removeFirst(end + length) }
                        return response
                    }
                }
                guard try receive() else { throw Failure.failed("the connection ended") }
            }
        }
    }

    /// Reads until `text` has arrived.
    func read(until text: String) async throws {
        try await offload { [self] in
            while !received.withLock({ String(decoding: $0, as: UTF8.self).contains(text) }) {
                guard try receive() else { throw Failure.failed("the connection ended") }
            }
        }
    }

    /// Reads to the end of the connection.
    func readToEnd() async throws -> String {
        try await offload { [self] in
            while try receive() {}
            return received.withLock { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Reads to the end of the connection, and returns what arrived, also before a reset.
    func readToEndOrReset() async throws -> String {
        try await offload { [self] in
            while (try? receive()) == true {}
            return received.withLock { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func end(ofHead bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }

    /// Returns false at the end of the connection, with or without an orderly end of TLS.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = gnutls_record_recv(session, &buffer, buffer.count)
        if count == 0 || CInt(count) == GNUTLS_E_PREMATURE_TERMINATION { return false }
        if count < 0 {
            if gnutls_error_is_fatal(CInt(count)) == 0 { return true }
            throw Failure.failed(reason(CInt(count)))
        }
        received.withLock { $0 += buffer.prefix(count) }
        return true
    }

    /// The first message of a handshake, as a client sends it.
    static func clientHello() -> [UInt8] {
        let box = SentBytes()
        var session: gnutls_session_t?
        gnutls_init(&session, 1 << 1)
        defer { gnutls_deinit(session) }
        gnutls_set_default_priority(session)
        var credentials: gnutls_certificate_credentials_t?
        gnutls_certificate_allocate_credentials(&credentials)
        defer { gnutls_certificate_free_credentials(credentials) }
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials.map { UnsafeMutableRawPointer($0) })
        gnutls_transport_set_ptr(session, Unmanaged.passUnretained(box).toOpaque())
        gnutls_transport_set_push_function(session) { box, bytes, count in
            guard let box else { return -1 }
            let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
            Unmanaged<SentBytes>.fromOpaque(box).takeUnretainedValue().bytes += bytes
            return count
        }
        gnutls_transport_set_pull_function(session) { _, _, _ in
            errno = EAGAIN
            return -1
        }
        gnutls_handshake(session)
        return withExtendedLifetime(box) { box.bytes }
    }
}

/// What a session sent, for a session without a socket.
private final class SentBytes {
    var bytes: [UInt8] = []
}
