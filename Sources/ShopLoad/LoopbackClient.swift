// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// A minimal HTTP client for a port of this machine, with exact errors.
///
/// `URLSession` hides what the shop must see. On Linux, after a reset of a reused connection, it repeats a GET silently
/// and lets a POST wait for its timeout.
package struct LoopbackClient: Sendable {
    /// Why there is no response.
    package enum Failure: Error, Hashable {
        /// No response before the deadline.
        case timeout
        /// The connection was reset.
        case reset
        /// There is no connection; says why.
        case unreachable(String)
        /// The bytes are not a response; says why.
        case malformed(String)
    }

    private let port: Int
    private let deadline: Duration
    private let clock: TimeSource

    /// - Parameter deadline: How long a request may take, from the connection to the last byte of the response.
    package init(port: Int, deadline: Duration, clock: TimeSource) {
        self.port = port
        self.deadline = deadline
        self.clock = clock
    }

    /// Sends a request over a new connection, and waits for the response.
    ///
    /// It speaks HTTP/1.0, with one request for each connection. On a connection that is kept open, a reset request looks
    /// like the end of an idle connection, and a client that repeats it may pay twice.
    ///
    /// - Throws: ``Failure``; `CancellationError` if the task is cancelled.
    package func send(
        _ method: String,
        _ path: String,
        number: UInt64,
        body: [UInt8]
    ) async throws -> (status: Int, body: [UInt8]) {
        let headers = [("Host", "127.0.0.1:\(port)"), ("X-Request-Number", "\(number)")]
        let request = Self.request("\(method) \(path) HTTP/1.0", headers, body)
        return try await Self.translated {
            let response = try await withDeadline(deadline, clock) { [port] in
                try await LoopbackSocket(port: port).exchange(request)
            }
            return (response.status, response.body)
        }
    }

    /// The bytes of a request with the length of its body.
    static func request(_ line: String, _ headers: [(name: String, value: String)], _ body: [UInt8]) -> [UInt8] {
        let fields = headers + [("Content-Length", "\(body.count)")]
        let head = ([line] + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\r\n") + "\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// Runs `work`, and throws its errors of sockets and responses as a ``Failure``.
    static func translated<R: ~Copyable>(_ work: () async throws -> R) async throws -> R {
        do {
            return try await work()
        } catch let error as SocketError {
            throw error.isReset ? Failure.reset : .unreachable(error.description)
        } catch let error as ResponseParser.Malformed {
            throw Failure.malformed(error.problem)
        }
    }
}

/// Runs `work` and cancels it at the deadline.
///
/// - Throws: The error of `work`; ``LoopbackClient/Failure/timeout``.
func withDeadline<R: Sendable>(
    _ deadline: Duration,
    _ clock: TimeSource,
    _ work: @escaping @Sendable () async throws -> R
) async throws -> R {
    let end = clock.now.advanced(by: deadline)
    return try await withThrowingTaskGroup(of: R?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await clock.sleep(until: end)
            return nil
        }
        // The first task to end decides. The group waits for the other one, which is cancelled.
        guard let result = try await group.next() ?? nil else { throw LoopbackClient.Failure.timeout }
        return result
    }
}

/// Parses one HTTP response that ends at its declared length or with the connection.
///
/// Nothing else can arrive: the shop's server uses no transfer coding.
package struct ResponseParser {
    package struct Response: Hashable, Sendable {
        package let status: Int
        package let body: [UInt8]

        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    /// The bytes are not a response.
    package struct Malformed: Error, Hashable {
        package let problem: String
    }

    /// The maximum size of a response in bytes.
    private static let limit = 1_048_576

    private var bytes: [UInt8] = []
    private var head: (status: Int, length: Int?, bodyStart: Int)?

    package init() {}

    /// Adds the next bytes; none if the connection has ended.
    ///
    /// - Returns: The response if it is complete.
    /// - Throws: ``Malformed``.
    package mutating func take(_ next: [UInt8]) throws -> Response? {
        bytes += next
        guard bytes.count <= Self.limit else { throw Malformed(problem: "longer than \(Self.limit) bytes") }
        if head == nil { try readHead() }
        guard let head else {
            if next.isEmpty { throw Malformed(problem: "ended within its head") }
            return nil
        }
        let body = bytes[head.bodyStart...]
        if let length = head.length, body.count >= length {
            return Response(status: head.status, body: Array(body.prefix(length)))
        }
        guard next.isEmpty else { return nil }
        if head.length != nil { throw Malformed(problem: "ended within its body") }
        return Response(status: head.status, body: Array(body))
    }

    private mutating func readHead() throws {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        let statusLine = lines.first?.split(separator: " ") ?? []
        guard statusLine.count >= 2, statusLine[0].hasPrefix("HTTP/1."), let status = Int(statusLine[1]) else {
            throw Malformed(problem: "without a status")
        }
        head = (status, try Self.length(lines.dropFirst()), headEnd + end.count)
    }

    private static func length(_ fields: some Sequence<Substring>) throws -> Int? {
        for field in fields {
            let parts = field.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            guard let length = Int(parts[1].drop { $0 == " " }), length >= 0 else {
                throw Malformed(problem: "with a length that is not a number")
            }
            return length
        }
        return nil
    }
}
