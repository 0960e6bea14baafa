// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

extension MicrohttpdDaemon {
    /// libmicrohttpd requires a certificate at the start. Each session gets its own, which is the same until a reload.
    static func certificate(_ certificate: TerminatedText, _ key: TerminatedText) -> [MHD_OptionItem] {
        [
            MHD_OptionItem(option: .HTTPS_MEM_CERT, value: 0, ptr_value: certificate.pointer),
            MHD_OptionItem(option: .HTTPS_MEM_KEY, value: 0, ptr_value: key.pointer),
        ]
    }
}

extension ServerCore {
    /// Prepares the handshake of a new connection, and keeps its ``TLSSession`` as the context of the connection. libmicrohttpd
    /// frees the session of GnuTLS before it reports the end of the connection.
    func beginTLS(
        _ connection: OpaquePointer,
        _ descriptor: CInt,
        _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        guard let certificates = security.certificates else { return }
        let session = TLSSession(
            certificates.current(),
            address: SocketEnd.peer(of: descriptor)?.host ?? "a client that has gone",
            onEvent: security.onEvent
        )
        context.pointee = Unmanaged.passRetained(session).toOpaque()
        guard let own = axiom_mhd_connection_session(connection), session.begin(OpaquePointer(own)) else {
            return ConnectedSocket.end(descriptor)
        }
    }

    /// Releases the ``TLSSession`` of a connection that is about to be closed.
    func endTLS(_ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
        guard let session = context.pointee else { return }
        context.pointee = nil
        Unmanaged<TLSSession>.fromOpaque(session).takeRetainedValue().end()
    }
}

/// A copy of a text with a zero at its end, which is erased when it is released: it may be a key.
final class TerminatedText {
    let pointer: UnsafeMutableRawPointer
    private let count: Int

    init(_ text: [UInt8]) {
        count = text.count + 1
        pointer = .allocate(byteCount: count, alignment: 1)
        pointer.initializeMemory(as: UInt8.self, from: text, count: text.count)
        pointer.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
    }

    deinit {
        SecretMemory.erase(pointer, count)
        pointer.deallocate()
    }
}
