// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import CMicrohttpd
internal import Foundation

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
    private let isTLS: Bool
    private var kept: Wire?
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    init(port: UInt16, isTLS: Bool) {
        (self.port, self.isTLS) = (port, isTLS)
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
        let wire = try manner == .keepAlive ? kept ?? connected() : connected()
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        do {
            guard wire.write(request) == .bytes(request.count) else { throw Failure.closedEarly }
            try readResponse(wire)
        } catch {
            wire.hangUp()
            if manner == .keepAlive { kept = nil }
            throw error
        }
        if manner == .keepAlive { kept = wire } else { wire.hangUp() }
    }

    private func connected() throws -> Wire {
        let descriptor = socket(AF_INET, SocketType.stream, 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        // As Prometheus does: otherwise the request behind a handshake waits for an acknowledgement, 40 ms.
        var isOn: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
        guard withLoopback(port: port, { connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure.failed("connect: \(String(cString: strerror(code)))")
        }
        let wire = Wire(descriptor, isTLS: isTLS)
        guard wire.shakeHands() == .bytes(0) else {
            wire.hangUp()
            throw Failure.failed("no handshake")
        }
        return wire
    }

    private mutating func readResponse(_ wire: Wire) throws {
        var head: [UInt8] = []
        var expected: Int?
        var received = 0
        while expected.map({ received < $0 }) ?? true {
            let outcome = wire.read(into: &buffer)
            guard case .bytes(let count) = outcome else {
                let code = errno
                let isReset = outcome == .failed && (isTLS || code == ECONNRESET)
                if received == 0, outcome == .end || isReset { throw Failure.closedEarly }
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
