// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation

/// A TCP connection that sends exactly the given bytes.
///
/// Its calls block, so each runs on a thread of its own: the handlers under test need the cooperative ones, and
/// Dispatch adds threads to its pool too slowly for fifty clients.
final class RawClient: Sendable {
    struct Response: Sendable, Equatable {
        var status = 0
        var head = ""
        var body = ""

        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ":") {
                return line.dropFirst(name.count + 1).drop { $0 == " " }.description
            }
            return nil
        }
    }

    enum Failure: Error, Equatable {
        case cannotConnect(CInt)
        case closed
        case reset
        case error(CInt)
    }

    private let descriptor: CInt
    /// Received and not yet read.
    private let buffer = Lock<ArraySlice<UInt8>>([])

    /// - Parameter source: The IPv4 address of this side; nil for that which the kernel chooses.
    init(port: Int, host: String = "127.0.0.1", from source: String? = nil) async throws {
        descriptor = try await offload { try Self.connect(port: port, host: host, from: source) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await offload { [descriptor] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { StreamSocket.send(descriptor, $0) }
                guard count > 0 else { throw Failure.error(errno) }
                rest.removeFirst(count)
            }
        }
    }

    /// Sends a request with a Host header and reads its response.
    func request(_ method: String, _ path: String, headers: String = "", body: String = "") async throws -> Response {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try await send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\(length)\r\n\(body)")
        return try await response(hasBody: method != "HEAD")
    }

    /// Reads the next response whole; its body by `Content-Length`, or to the end of the connection without one.
    func response(hasBody: Bool = true) async throws -> Response {
        try await offload { [self] in
            var response = Response()
            var bytes: [UInt8] = []
            while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) { bytes.append(try byte()) }
            response.head = String(decoding: bytes, as: UTF8.self)
            response.status = Int(response.head.dropFirst(9).prefix(3)) ?? 0
            guard hasBody, response.status != 204 else { return response }
            guard let length = response.header("Content-Length").flatMap(Int.init) else {
                response.body = String(decoding: try rest(), as: UTF8.self)
                return response
            }
            var body: [UInt8] = []
            while body.count < length { body += try some(length - body.count) }
            response.body = String(decoding: body, as: UTF8.self)
            return response
        }
    }

    /// Reads a line, and leaves the rest.
    func readLine() async throws -> String {
        try await offload { [self] in
            var bytes: [UInt8] = []
            while bytes.last != UInt8(ascii: "\n") { bytes.append(try byte()) }
            return String(decoding: bytes.dropLast(2), as: UTF8.self)
        }
    }

    /// Reads until `text` has arrived.
    func read(until text: String) async throws {
        try await offload { [self] in
            var bytes: [UInt8] = []
            let wanted = Array(text.utf8)
            while !bytes.suffix(wanted.count).elementsEqual(wanted) { bytes.append(try byte()) }
        }
    }

    /// Reads to the end of the connection, which must be orderly.
    func readToEnd() async throws -> String {
        try await offload { [self] in String(decoding: try rest(), as: UTF8.self) }
    }

    /// Reads to the end of the connection, and returns what arrived, also before a reset.
    func readToEndOrReset() async throws -> (text: String, wasReset: Bool) {
        try await offload { [self] in
            var bytes: [UInt8] = []
            while true {
                do {
                    bytes += try some(.max)
                } catch Failure.closed {
                    return (String(decoding: bytes, as: UTF8.self), false)
                } catch Failure.reset {
                    return (String(decoding: bytes, as: UTF8.self), true)
                }
            }
        }
    }

    /// Ends this side: the server sees the end of the stream.
    func hangUp() {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    private func rest() throws -> [UInt8] {
        var bytes = buffer.withLock { buffer in
            defer { buffer = [] }
            return Array(buffer)
        }
        while true {
            do { bytes += try receive() } catch Failure.closed { return bytes }
        }
    }

    /// At least one byte, and no more than `count`.
    private func some(_ count: Int) throws -> ArraySlice<UInt8> {
        try buffer.withLock { buffer in
            if buffer.isEmpty { buffer = try receive()[...] }
            defer { buffer.removeFirst(min(count, buffer.count)) }
            return buffer.prefix(count)
        }
    }

    private func byte() throws -> UInt8 {
        try buffer.withLock { buffer in
            if buffer.isEmpty { buffer = try receive()[...] }
            return buffer.removeFirst()
        }
    }

    private func receive() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { return Array(bytes.prefix(count)) }
        if count == 0 { throw Failure.closed }
        throw errno == ECONNRESET ? Failure.reset : Failure.error(errno)
    }

    private static func connect(port: Int, host: String, from source: String?) throws -> CInt {
        let isIPv6 = host.contains(":")
        let descriptor = StreamSocket.make(isIPv6: isIPv6)
        // So that a defect shows as a failure rather than as a test that hangs; far above what a busy machine takes.
        var limit = timeval(tv_sec: 180, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let outcome: CInt
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            inet_pton(AF_INET6, host, &address.sin6_addr)
            outcome = StreamSocket.connect(descriptor, to: address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            inet_pton(AF_INET, host, &address.sin_addr)
            if let source {
                var own = sockaddr_in()
                own.sin_family = sa_family_t(AF_INET)
                inet_pton(AF_INET, source, &own.sin_addr)
                guard lend(&own, { bind(descriptor, $0, $1) }) == 0 else { throw Failure.cannotConnect(errno) }
            }
            outcome = StreamSocket.connect(descriptor, to: address)
        }
        guard outcome == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.cannotConnect(code)
        }
        return descriptor
    }

    private static func lend<A>(_ address: inout A, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<A>.size)) }
        }
    }
}

/// Runs blocking work where it does not block a task.
func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: work)) }
    }
}
