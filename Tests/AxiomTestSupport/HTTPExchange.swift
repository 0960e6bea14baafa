// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One request and its response over a new TCP connection. The test controls every byte.
public struct HTTPExchange: Sendable {
    /// The response of the server.
    public struct Response: Sendable {
        /// The status code; 0 if there was no response.
        public let status: Int
        /// The header lines.
        public let headers: [String]
        /// The bytes after the head.
        public let body: Data

        /// The body in UTF-8.
        public var text: String { String(decoding: body, as: UTF8.self) }

        /// The value of the first header of this name.
        public subscript(name: String) -> String? {
            headers.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The connection could not be made or broke.
    public struct Failure: Error, CustomStringConvertible {
        /// What failed and the system's reason.
        public let description: String
    }

    /// Sends a request to 127.0.0.1 and reads to the end of the connection.
    ///
    /// It blocks, so it runs on a new thread: the code under test needs the threads of the cooperative pool.
    ///
    /// - Parameters:
    ///   - host: The value of the `Host` header; the default is the server's own address.
    ///   - headers: Further header fields.
    ///   - body: The body; nil for none.
    ///   - heard: Called after each read, with all bytes received so far: head and body.
    public static func perform(
        _ method: String,
        _ path: String,
        port: Int,
        host: String? = nil,
        headers: KeyValuePairs<String, String> = [:],
        body: String? = nil,
        heard: @escaping @Sendable (Data) -> Void = { _ in }
    ) async throws -> Response {
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined() + length
        let request =
            "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(fields)Connection: close\r\n\r\n"
            + (body ?? "")
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try exchange(request, port: port, heard) })
            }
        }
    }

    private static func exchange(_ request: String, port: Int, _ heard: (Data) -> Void) throws -> Response {
        let descriptor = StreamSocket.make()
        guard descriptor >= 0 else { throw failure("socket") }
        defer { close(descriptor) }
        // A defect must make the test fail instead of hang.
        var limit = timeval(tv_sec: 180, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        try connect(descriptor, port)
        let bytes = Array(request.utf8)
        let sent = bytes.withUnsafeBytes { StreamSocket.send(descriptor, $0) }
        guard sent == bytes.count else { throw failure("send") }
        return parse(try receiveAll(descriptor, heard))
    }

    private static func connect(_ descriptor: Int32, _ port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard StreamSocket.connect(descriptor, to: address) == 0 else { throw failure("connect to 127.0.0.1:\(port)") }
    }

    private static func receiveAll(_ descriptor: Int32, _ heard: (Data) -> Void) throws -> Data {
        var received = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count >= 0 else { throw failure("recv") }
            guard count > 0 else { return received }
            received.append(contentsOf: chunk[..<count])
            heard(received)
        }
    }

    private static func parse(_ data: Data) -> Response {
        guard let end = data.firstRange(of: Data("\r\n\r\n".utf8)) else {
            return Response(status: 0, headers: [], body: data)
        }
        let head = String(decoding: data[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let status = head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Response(status: status, headers: Array(head.dropFirst()), body: Data(data[end.upperBound...]))
    }

    private static func failure(_ call: String) -> Failure {
        Failure(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
