// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
private let streamClosedOnExec = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#else
private let streamClosedOnExec = CInt(SOCK_STREAM | SOCK_CLOEXEC)
#endif

// Outside of the type, whose methods have the names of the system calls.
private func connectSocket(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: Int) -> CInt {
    connect(descriptor, address, socklen_t(length))
}

private func sendBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
}

/// The calls of a TCP socket, with the same names and types for each C library. A failure is in `errno`.
public enum StreamSocket {
    /// Makes a socket, which a program that is started does not inherit.
    ///
    /// - Returns: The descriptor; -1 if it failed.
    public static func make(isIPv6: Bool = false) -> CInt {
        socket(isIPv6 ? AF_INET6 : AF_INET, streamClosedOnExec, 0)
    }

    /// Connects a socket.
    ///
    /// - Parameter address: A `sockaddr_in` or `sockaddr_in6`.
    /// - Returns: 0; -1 if it failed.
    public static func connect<Address>(_ descriptor: CInt, to address: Address) -> CInt {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(descriptor, $0, MemoryLayout<Address>.size)
            }
        }
    }

    /// Sends bytes, without the signal SIGPIPE.
    ///
    /// - Returns: How many bytes were sent, at most all; -1 if it failed.
    public static func send(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        sendBytes(descriptor, bytes)
    }
}
