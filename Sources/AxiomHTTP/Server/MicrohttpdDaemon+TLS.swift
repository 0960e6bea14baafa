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
    /// Prepares the handshake of a new connection, and keeps its ``ServerTLS`` as the context of the connection. libmicrohttpd
    /// frees the session of GnuTLS before it reports the end of the connection.
    func beginTLS(
        _ connection: OpaquePointer,
        _ descriptor: CInt,
        _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        guard let certificates = security.certificates else { return }
        let tls = certificates.connection(from: SocketEnd.peer(of: descriptor)?.host ?? "a client that has gone")
        context.pointee = Unmanaged.passRetained(HeldTLS(tls)).toOpaque()
        guard let session = axiom_mhd_connection_session(connection), tls.begin(OpaquePointer(session)) else {
            return ConnectedSocket.end(descriptor)
        }
    }

    /// Releases the ``ServerTLS`` of a connection that is about to be closed.
    func endTLS(_ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
        guard let held = context.pointee else { return }
        context.pointee = nil
        Unmanaged<HeldTLS>.fromOpaque(held).takeRetainedValue().tls.end()
    }
}

/// The context of a connection.
private final class HeldTLS: Sendable {
    let tls: any ServerTLS

    init(_ tls: any ServerTLS) { self.tls = tls }
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
