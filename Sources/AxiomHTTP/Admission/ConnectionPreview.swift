// SPDX-License-Identifier: Apache-2.0

/// What the first bytes of a connection are, before they are read from the socket.
enum ConnectionPreview: Equatable, Sendable {
    /// More is needed to decide.
    case partial
    /// The first request, or over TLS the first message of the handshake, has arrived. The path is nil if it is unknown.
    case arrived(path: String?)
    /// The client speaks another protocol than the port.
    case foreign
    /// See ``RequestPreview/malformed``.
    case malformed

    /// - Parameters:
    ///   - bytes: The bytes from the beginning of the connection.
    ///   - limit: How many bytes of a head are enough, whether it is complete or not.
    ///   - isTLS: Whether the port speaks TLS.
    ///   - scan: What is known of the bytes that arrived before.
    init(_ bytes: ArraySlice<UInt8>, limit: Int, isTLS: Bool, scan: inout HeadScan) {
        if isTLS {
            self.init(record: bytes)
        } else if bytes.first == Self.handshakeType {
            // No request begins with this byte.
            self = .foreign
        } else {
            switch RequestPreview(bytes, limit: limit, scan: &scan) {
            case .partial: self = .partial
            case .malformed: self = .malformed
            case .arrived(let path): self = .arrived(path: path)
            }
        }
    }

    /// A preview of bytes none of which were looked at before.
    init(_ bytes: ArraySlice<UInt8>, limit: Int, isTLS: Bool) {
        var scan = HeadScan()
        self.init(bytes, limit: limit, isTLS: isTLS, scan: &scan)
    }

    /// The content type of a record that is part of a handshake (RFC 8446 section 5.1).
    private static let handshakeType: UInt8 = 22
    private static let clientHello: UInt8 = 1
    private static let recordHeader = 5
    private static let longestRecord = 16_384

    /// The first record must be a whole one, and contain the beginning of a ClientHello. GnuTLS checks the rest.
    private init(record bytes: ArraySlice<UInt8>) {
        let head = Array(bytes.prefix(Self.recordHeader + 1))
        guard head.first ?? Self.handshakeType == Self.handshakeType, head.dropFirst().first ?? 3 == 3 else {
            self = .foreign
            return
        }
        guard head.count > Self.recordHeader else {
            self = .partial
            return
        }
        let length = Int(head[3]) << 8 | Int(head[4])
        guard head[5] == Self.clientHello, (1...Self.longestRecord).contains(length) else {
            self = .foreign
            return
        }
        self = bytes.count >= Self.recordHeader + length ? .arrived(path: nil) : .partial
    }
}
