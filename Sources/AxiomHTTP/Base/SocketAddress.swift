// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A numeric internet address, without a port.
struct SocketAddress: Sendable, Hashable {
    /// 4 or 16 bytes in network order.
    private let bytes: [UInt8]

    var isIPv6: Bool { bytes.count == 16 }

    /// 127.0.0.0/8, `::1`, and 127.0.0.0/8 written as IPv6.
    var isLoopback: Bool {
        guard isIPv6 else { return bytes[0] == 127 }
        if bytes == [UInt8](repeating: 0, count: 15) + [1] { return true }
        return isMapped && bytes[12] == 127
    }

    /// Whether it is an IPv4 address written as IPv6.
    private var isMapped: Bool { isIPv6 && bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] }

    /// What counts as one address where each has a limit: an IPv4 address, also written as IPv6, or the network of 64 bits
    /// of an IPv6 address, because one client can have all addresses of it. Another text is returned unchanged.
    static func network(of host: String) -> String {
        guard let address = SocketAddress(numericHost: host), address.isIPv6, !address.isMapped else { return host }
        return address.bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }

    /// The address that a configuration names.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidConfiguration` if `host` is neither a numeric address nor
    ///   `localhost`. Other names are not resolved, because the address of a name may change.
    init(configuredHost host: String) throws {
        guard let address = SocketAddress(numericHost: host == "localhost" ? "127.0.0.1" : host) else {
            throw HTTPServerError(
                .invalidConfiguration,
                "host is \(host.debugDescription); allowed are localhost and a numeric address such as 127.0.0.1, "
                    + "::1 or 0.0.0.0"
            )
        }
        self = address
    }

    /// The address that `host` spells in digits; nil if it does not.
    init?(numericHost host: String) {
        // In C the text would end at a zero.
        guard !host.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, host, &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    /// Passes the address and `port` to `body` in the form that socket calls take.
    func withSockaddr<Result>(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let port = in_port_t(truncatingIfNeeded: port).bigEndian
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.lend(&address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
        return Self.lend(&address, body)
    }

    private static func lend<Address, Result>(
        _ address: inout Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                body(pointer, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

/// The address and port of one end of a socket.
struct SocketEnd: Sendable, Hashable {
    /// Numeric, such as `127.0.0.1` or `::1`.
    let host: String
    let port: Int

    /// The local end of a socket; nil if it is not bound.
    static func local(of descriptor: CInt) -> SocketEnd? {
        SocketEnd { getsockname(descriptor, $0, $1) }
    }

    /// The remote end of a socket; nil if it is no longer connected.
    static func peer(of descriptor: CInt) -> SocketEnd? {
        SocketEnd { getpeername(descriptor, $0, $1) }
    }

    private init?(_ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let outcome = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { read($0, &length) }
        }
        guard outcome == 0 else { return nil }
        self.init(storage)
    }

    fileprivate init?(_ storage: sockaddr_storage) {
        var storage = storage
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = CInt(storage.ss_family)
        // A sockaddr_storage has the layout of the address of its family: the port at byte 2, and the address at
        // byte 4 (IPv4) or, after the flow label, at byte 8 (IPv6).
        let named = withUnsafeBytes(of: &storage) { raw in
            raw.baseAddress.flatMap { base in
                inet_ntop(family, base + (family == AF_INET6 ? 8 : 4), &text, socklen_t(text.count))
            }
        }
        guard named != nil else { return nil }
        host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        port = withUnsafeBytes(of: &storage) {
            Int(in_port_t(bigEndian: $0.load(fromByteOffset: 2, as: in_port_t.self)))
        }
    }
}

/// The address of a peer in the form of the system calls.
struct PeerAddress: Sendable {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// Passes the memory to a call that fills it.
    mutating func withMutableSockaddr<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// See ``SocketAddress/network(of:)``; empty if the family is unknown.
    var network: String { SocketEnd(storage).map { SocketAddress.network(of: $0.host) } ?? "" }
}
