// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Glibc

/// A socket that listens, opened here rather than by libmicrohttpd so that each way to fail has an error of its own.
struct ListenSocket: ~Copyable {
    let descriptor: CInt
    /// The port in use, also when any free one was asked for.
    let port: Int
    /// Tells this socket from any other that may later have its number.
    private let inode: ino_t

    /// - Throws: ``HTTPServerError`` that names the address and what to do.
    init(host: String, address: SocketAddress, port: Int) throws {
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw Self.error(errno, host, port) }
        // A port whose last connections still wait in TIME_WAIT may be used again; one that is listened at may not.
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

    /// Closes the socket unless that has happened: libmicrohttpd closes it in some of its failures and not in others.
    consuming func closeIfOpen() {
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
                "\(address) is already in use, by this process or another one; stop what listens there, or choose another "
                    + "port (0 takes any free one)"
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
