// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CMicrohttpd
internal import Foundation

/// A listening socket. It is opened here rather than by libmicrohttpd, so that each failure has its own error.
struct ListenSocket: Sendable {
    let descriptor: CInt
    /// The port in use, also if the configuration left the choice to the kernel.
    let port: Int
    /// Distinguishes this socket from a later one with the same descriptor.
    private let inode: ino_t

    /// - Throws: ``HTTPServerError`` that names the address and the remedy.
    init(host: String, address: SocketAddress, port: Int) throws {
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        let type = SocketType.stream | SocketType.closeOnExec | SocketType.nonBlocking
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw Self.error(errno, host, port) }
        // Allows a port with connections in TIME_WAIT, not one at which another socket listens.
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let bound = address.withSockaddr(port: port) { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, SOMAXCONN) == 0, let end = SocketEnd.local(of: descriptor),
            let inode = Self.inode(of: descriptor)
        else {
            let code = errno
            close(descriptor)
            throw Self.error(code, host, port)
        }
        self.descriptor = descriptor
        self.port = end.port
        self.inode = inode
    }

    /// Closes the socket unless it has been closed.
    func closeIfOpen() {
        if Self.inode(of: descriptor) == inode { close(descriptor) }
    }

    private static func inode(of descriptor: CInt) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    private static func error(_ code: CInt, _ host: String, _ port: Int) -> HTTPServerError {
        let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        switch code {
        case EADDRINUSE:
            return HTTPServerError(
                .addressInUse,
                "\(address) is already in use, by \(PortOwner.name(port) ?? "this process or another one"); stop what listens "
                    + "there, or choose another port (0 takes any free one)"
            )
        case EACCES:
            return HTTPServerError(
                .permissionDenied,
                "this process may not listen at \(address); choose a port above 1023, or grant it CAP_NET_BIND_SERVICE"
            )
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            return HTTPServerError(
                .addressUnavailable,
                "this machine has no address \(host); choose one that `ip address` shows, or 127.0.0.1"
            )
        default:
            return HTTPServerError(.systemFailure, "cannot listen at \(address): \(String(cString: strerror(code)))")
        }
    }
}

/// What ends or resets a connected TCP socket, which stays open until its owner closes it.
enum ConnectedSocket {
    /// Sends a bare status; the connection is to be closed then.
    static func answer(_ descriptor: CInt, _ status: String) {
        let answer = bareAnswer(status)
        send(descriptor, answer, answer.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
    }

    /// A response without a body.
    static func bareAnswer(_ status: String) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    }

    /// Ends a connection in both directions. What was sent before arrives.
    static func end(_ descriptor: CInt) {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    /// Resets a connection: the peer gets a TCP `RST` at once, and the kernel frees what was not received.
    static func reset(_ descriptor: CInt) {
        // Connecting to "no address" ends a TCP connection with a reset. A close with SO_LINGER 0 would do so too, but
        // libmicrohttpd shuts the socket down before it closes it, and the peer would first see an orderly end.
        var nowhere = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
