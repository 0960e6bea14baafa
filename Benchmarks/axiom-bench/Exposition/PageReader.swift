// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads pages over one connection that is kept open, as a scraper does, with as little work of its own as there can be.
final class PageReader: @unchecked Sendable {
    // Unchecked because of the memory and the descriptor: a benchmark uses its reader from one task at a time.

    struct Failure: Error {
        let call: String
    }

    private let descriptor: Int32
    private let request: [UInt8]
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 16)

    init(port: Int, path: String, headers: String) throws {
        request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(headers)\r\n".utf8)
        descriptor = socket(AF_INET, SocketType.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(call: "connect") }
    }

    deinit {
        close(descriptor)
        memory.deallocate()
    }

    /// Reads one page and returns the bytes of its body.
    func read() throws -> Int {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Failure(call: "send")
        }
        var count = 0
        var total = Int.max
        var body = 0
        while count < total {
            let received = recv(descriptor, memory.baseAddress! + count, memory.count - count, 0)
            guard received > 0 else { throw Failure(call: "recv") }
            count += received
            if total == .max, let head = head(count) {
                body = head.body
                total = head.end + head.body
            }
        }
        return body
    }

    /// Where the head ends and how long the body is; nil while the head is not there.
    private func head(_ count: Int) -> (end: Int, body: Int)? {
        let head = memory[..<min(count, 2_048)]
        guard let end = Self.end(of: "\r\n\r\n", in: head), let start = Self.end(of: "Content-Length: ", in: head)
        else { return nil }
        let digits = head[start...].prefix { (0x30...0x39).contains($0) }
        return (end, digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    private static func end(of text: StaticString, in head: Slice<UnsafeMutableRawBufferPointer>) -> Int? {
        let (start, length) = (text.utf8Start, text.utf8CodeUnitCount)
        guard head.count >= length, let base = head.base.baseAddress else { return nil }
        return (0...(head.count - length)).first { memcmp(base + $0, start, length) == 0 }.map { $0 + length }
    }
}
