// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The least that a page over a loopback connection can cost: a thread that answers each request with the same bytes,
/// in one call, without looking at what was asked.
final class LoopbackFloor: Sendable {
    let port: Int
    private let listener: Int32

    /// Serves one connection, until it is closed.
    init(body: [UInt8]) throws {
        listener = socket(AF_INET, SocketType.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { [listener] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) | listen(listener, 1) | getsockname(listener, $0, &length)
            }
        }
        guard status == 0 else { throw PageReader.Failure(call: "listen") }
        port = Int(in_port_t(bigEndian: address.sin_port))
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        let work = Unmanaged.passRetained(Work(listener, answer))
        var thread = pthread_t()
        let started = pthread_create(
            &thread,
            nil,
            { context in
                context.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().serve() }
                return nil
            },
            work.toOpaque()
        )
        guard started == 0 else {
            work.release()
            throw PageReader.Failure(call: "pthread_create")
        }
        pthread_detach(thread)
    }

    deinit {
        close(listener)
    }

    /// What the thread owns.
    private final class Work: Sendable {
        private let listener: Int32
        private let answer: [UInt8]

        init(_ listener: Int32, _ answer: [UInt8]) {
            self.listener = listener
            self.answer = answer
        }

        func serve() {
            let connection = accept(listener, nil, nil)
            var request = [UInt8](repeating: 0, count: 4_096)
            while recv(connection, &request, request.count, 0) > 0 {
                var sent = 0
                while sent < answer.count {
                    let count = answer.withUnsafeBytes { answer in
                        send(connection, answer.baseAddress! + sent, answer.count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { break }
                    sent += count
                }
                if sent < answer.count { break }
            }
            close(connection)
        }
    }
}
