// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation

@testable import AxiomHTTP

extension FuzzTarget {
    /// The whole server, over a connection of the loopback interface.
    static let server: [FuzzTarget] = [
        FuzzTarget(
            "server",
            maximumLength: 1_024,
            steps: (.max / 2_048, .max / 4),
            share: 1,
            words: requestWords,
            checkServer
        )
    ]

    private static let requestWords = [
        "GET / HTTP/1.1\r\n", "POST /body HTTP/1.1\r\n", "Host: localhost\r\n", "\r\n\r\n", "\r\n",
        "Content-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n", "0\r\n\r\n", "HTTP/1.0", "Connection: close\r\n",
        "Expect: 100-continue\r\n",
        "Cookie: a=b; c=d\r\n", "http://localhost/", "X: ", "\t", "0;a=b\r\n", "Trailer: X\r\n", "ffffffffffffffff",
    ]

    /// Sent behind each input: the last request of the connection.
    private static let last = Array("GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)

    /// The server answers each well-formed request once, and nothing behind one that is not.
    private static func checkServer(_ bytes: [UInt8]) throws {
        // The response to HEAD announces a body that does not follow: where the next one begins could not be told.
        guard bytes.firstRange(of: Array("HEAD".utf8)) == nil else { return }
        let stream = bytes + last
        let verdicts = RequestReference(stream).verdicts
        let isWhole = verdicts.last == .answered(staysOpen: false)
        let answers = verdicts.count { if case .answered = $0 { true } else { false } }
        let port = try FuzzServer.port.get()
        let page = try LoopbackExchange.send(stream, to: port, awaiting: isWhole ? .max : answers)
        var responses = try RawResponse.list(page)[...]
        let story = "\(verdicts) of \(stream.text.debugDescription): \(page.text.debugDescription)"
        for verdict in verdicts {
            switch verdict {
            case .answered:
                guard let response = responses.popFirst() else {
                    throw FuzzFailure(description: "no response: \(story)")
                }
                if response.closes { return try require(responses.isEmpty, "a response behind the last: \(story)") }
            case .refused, .incomplete:
                try require(responses.count <= 1, "more than one response: \(story)")
                try require(responses.allSatisfy { $0.status >= 400 && $0.closes }, "a wrong response: \(story)")
                return
            case .open: return try require(responses.dropLast().allSatisfy { !$0.closes }, "a late response: \(story)")
            }
        }
        try require(responses.isEmpty, "too many responses: \(story)")
    }
}

/// The server of the process, which starts with the first input.
enum FuzzServer {
    static var port: Result<Int, any Error> { running.map { $0.port ?? 0 } }

    /// Retained: a server ends with its last reference.
    private static let running = Result {
        let routes: [HTTPRoute] = [
            .immediate("/") { _ in .text("in") }, .immediate("/last") { _ in .text("last") }.reserved(),
            .post("/body", maximumBodyBytes: 64) { .text("\($0.body.count)") }, .get("/wait") { _ in .text("waited") },
        ]
        var configuration = HTTPServerConfiguration()
        configuration.idleTimeout = .seconds(300)
        configuration.headTimeout = .seconds(300)
        let server = try HTTPServer(configuration: configuration, routes: routes)
        try server.start()
        return server
    }
}

/// A response as it arrived.
struct RawResponse {
    let status: Int
    let closes: Bool

    /// The final responses of a connection.
    ///
    /// - Throws: ``FuzzFailure`` if the bytes are no sequence of whole responses.
    static func list(_ page: [UInt8]) throws(FuzzFailure) -> [RawResponse] {
        var (rest, responses): (ArraySlice<UInt8>, [RawResponse]) = (page[...], [])
        while !rest.isEmpty {
            guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)), rest.starts(with: Array("HTTP/1.".utf8)) else {
                throw FuzzFailure(description: "no response: \(page.text.debugDescription)")
            }
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self).lowercased()
            rest = rest[end.upperBound...]
            let status = Int(head.dropFirst(9).prefix(3)) ?? 0
            if (100..<200).contains(status) { continue }
            try require((200..<600).contains(status), "the status of \(page.text.debugDescription)")
            let fields = head.split(separator: "\r\n").dropFirst()
            let lengths = fields.filter { $0.hasPrefix("content-length:") }.map {
                Int($0.dropFirst(15).drop { $0 == " " })
            }
            guard lengths.count == 1, let length = lengths[0], length <= rest.count else {
                throw FuzzFailure(description: "the length of \(page.text.debugDescription)")
            }
            rest = rest.dropFirst(length)
            responses.append(RawResponse(status: status, closes: fields.contains("connection: close")))
        }
        return responses
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        ranges(of: part).count
    }
}

// Outside of the type, whose methods have the names of the system calls. The program of Scripts/fuzz has no AxiomTestSupport.
private func sendBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
}

private func connectSocket(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    connect(descriptor, address, length)
}

/// One connection, from one of many addresses of the loopback interface: the ports of one would not suffice.
enum LoopbackExchange {
    private static let count = Lock(0)

    /// Sends bytes and reads to the end.
    ///
    /// - Parameter answers: How many responses must come. Behind them the server may wait for more: this side then ends when
    ///   nothing has arrived for a while.
    static func send(_ bytes: [UInt8], to port: Int, awaiting answers: Int) throws(FuzzFailure) -> [UInt8] {
        let descriptor = try connect(port)
        defer { close(descriptor) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { sendBytes(descriptor, $0) }
            // The server may have closed before it has read all.
            if count <= 0 { break }
            sent += count
        }
        return try read(descriptor, awaiting: answers)
    }

    private static func read(_ descriptor: CInt, awaiting answers: Int) throws(FuzzFailure) -> [UInt8] {
        var (page, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 16_384))
        var hasEnded = false
        while true {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isQuiet = !hasEnded && page.text.count(of: "HTTP/1.") >= answers
            // Far above what a busy machine takes.
            let outcome = poll(&event, 1, isQuiet ? 15 : 60_000)
            // libFuzzer has a timer.
            if outcome < 0, errno == EINTR { continue }
            guard outcome > 0 else {
                try require(isQuiet, "the server neither answers nor closes: \(page.text.debugDescription)")
                shutdown(descriptor, CInt(SHUT_WR))
                hasEnded = true
                continue
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return page }
            page += buffer[..<count]
        }
    }

    private static func connect(_ port: Int) throws(FuzzFailure) -> CInt {
        let descriptor = socket(AF_INET, SocketType.stream | SocketType.closeOnExec, 0)
        let number = count.withLock { count in
            count += 1
            return count
        }
        var source = sockaddr_in()
        source.sin_family = sa_family_t(AF_INET)
        source.sin_addr.s_addr = UInt32(0x7F00_0002 + number % 0x7F_0000).bigEndian
        var target = source
        target.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        target.sin_port = in_port_t(port).bigEndian
        let bound = lend(&source) { bind(descriptor, $0, $1) }
        let outcome = lend(&target) { connectSocket(descriptor, $0, $1) }
        guard bound == 0, outcome == 0 else {
            close(descriptor)
            throw FuzzFailure(description: "cannot connect: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    private static func lend(_ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt
    {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
