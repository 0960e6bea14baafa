// SPDX-License-Identifier: Apache-2.0

/// Parses one HTTP response that ends at its declared length or with the connection.
///
/// Nothing else can arrive: the requests are HTTP/1.0, to which a server must not answer with a transfer coding.
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
