// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Asks as Prometheus and a supervisor do, and keeps how long each answer took.
struct Scraper {
    /// How the connection of a request is chosen.
    enum Manner: String, CaseIterable {
        case newConnection = "new connection"
        case keepAlive = "keep-alive"
    }

    struct Tally {
        var milliseconds: [Double] = []
        var failures: [String] = []
        /// Requests on a kept connection that the server had closed, and that were sent again on a new one, as the
        /// client of Prometheus does.
        var repeats = 0

        /// The latency below which a share of the requests stayed.
        func quantile(_ share: Double) -> Double {
            guard !milliseconds.isEmpty else { return .infinity }
            let sorted = milliseconds.sorted()
            return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        }
    }

    enum Failure: Error {
        /// Nothing came back: the connection was closed before the response began.
        case closedEarly
        case failed(String)
    }

    private let port: UInt16
    private var kept: CInt = -1
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    init(port: UInt16) {
        self.port = port
    }

    /// Asks once, and counts the answer if it is a 200.
    mutating func ask(_ path: String, _ manner: Manner, into tally: inout Tally) {
        let start = now()
        do {
            do {
                try ask(path, manner)
            } catch Failure.closedEarly where manner == .keepAlive {
                tally.repeats += 1
                try ask(path, manner)
            }
            tally.milliseconds.append((now() - start) * 1_000)
        } catch {
            tally.failures.append("\(path) on a \(manner.rawValue) after \(Int((now() - start) * 1_000)) ms: \(error)")
        }
    }

    private mutating func ask(_ path: String, _ manner: Manner) throws {
        let descriptor = manner == .keepAlive && kept >= 0 ? kept : try connected()
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        do {
            guard send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count else {
                throw Failure.closedEarly
            }
            try readResponse(descriptor)
        } catch {
            close(descriptor)
            if descriptor == kept { kept = -1 }
            throw error
        }
        if manner == .keepAlive { kept = descriptor } else { close(descriptor) }
    }

    private func connected() throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard withLoopback(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.failed("connect: \(String(cString: strerror(code)))")
        }
        return descriptor
    }

    private mutating func readResponse(_ descriptor: CInt) throws {
        var head: [UInt8] = []
        var expected: Int?
        var received = 0
        while expected.map({ received < $0 }) ?? true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 {
                let code = errno
                if received == 0, count == 0 || code == ECONNRESET { throw Failure.closedEarly }
                throw Failure.failed("broke off after \(received) bytes: \(String(cString: strerror(code)))")
            }
            received += count
            if expected == nil {
                head += buffer[..<count]
                expected = try Self.size(of: head)
            }
        }
    }

    /// The bytes of the whole response; nil while its head is incomplete.
    private static func size(of bytes: [UInt8]) throws -> Int? {
        let text = String(decoding: bytes.prefix(4_096), as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard let end = lines.firstIndex(of: "") else { return nil }
        guard lines[0].hasPrefix("HTTP/1.1 200") else { throw Failure.failed(String(lines[0])) }
        let field = lines[..<end].first { $0.lowercased().hasPrefix("content-length:") }
        guard let length = field.flatMap({ Int($0.dropFirst(15).drop { $0 == " " }) }) else {
            throw Failure.failed("no Content-Length")
        }
        return lines[..<end].reduce(2) { $0 + $1.utf8.count + 2 } + length
    }
}
