// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomHTTP
internal import AxiomStorage
internal import Dispatch
internal import Foundation

/// A connection over HTTP/1.1 to a port of this machine. It serves several requests, one after the other, and never blocks a
/// thread.
///
/// `URLSession` hides what the shop must see: after a reset of a reused connection it sends a request again in silence.
final class HTTPConnection: PooledConnection {
    typealias Response = (status: Int, body: Data)

    private static let queue = DispatchQueue(label: "axiom-demo.sockets")

    private let handle: FileHandle

    private var descriptor: CInt { handle.fileDescriptor }

    /// Connects.
    ///
    /// - Throws: `POSIXError`; `CancellationError` if the task is cancelled.
    init(port: Int) async throws {
        let kind = SocketType.stream | SocketType.nonBlocking | SocketType.closeOnExec
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Self.error(errno) }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result != 0 else { return }
        guard errno == EINPROGRESS else { throw Self.error(errno) }
        try await wait(forWriting: true)
        var (code, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw Self.error(code) }
    }

    var isValid: Bool {
        get async { knownValidity ?? false }
    }

    /// Whether the connection is open, and no bytes wait to be received.
    var knownValidity: Bool? {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    func close() async { end() }

    private func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Sends a request, and waits for the response. Without one it ends the connection: the response may still arrive, and is not
    /// that of the next request.
    ///
    /// - Throws: `POSIXError`; `NetworkError` for bytes that are no response; `CancellationError`.
    func exchange(_ request: NetworkRequest) async throws -> Response {
        var isAnswered = false
        defer { if !isAnswered { end() } }
        var rest = Self.bytes(of: request)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            if count >= 0 { rest = rest.dropFirst(count) } else { try await waitAfterFailure(forWriting: true) }
        }
        var (received, buffer) = (Data(), [UInt8](repeating: 0, count: 16_384))
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { throw POSIXError(.ECONNRESET) }
            if count < 0 { try await waitAfterFailure(forWriting: false) }
            received += buffer[..<max(0, count)]
            guard let response = try Self.response(in: received) else { continue }
            isAnswered = true
            return response
        }
    }

    private static func bytes(of request: NetworkRequest) -> [UInt8] {
        let fields = request.headers.merging(["Host": "127.0.0.1", "Content-Length": "\(request.body.count)"]) { $1 }
        let lines = ["\(request.method) \(request.path) HTTP/1.1"] + fields.map { "\($0): \($1)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + request.body
    }

    /// The response that the bytes begin with; nil if it is not complete. The shop's server declares each length.
    static func response(in bytes: Data) throws -> Response? {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let field = lines.first { $0.lowercased().hasPrefix("content-length:") }
        guard let code = lines.first?.split(separator: " ").dropFirst().first, let status = Int(code),
            let length = (field?.drop { $0 != " " }.dropFirst()).flatMap({ Int($0) }), length >= 0
        else { throw NetworkError.invalidResponse("a request", "it has no status or no length") }
        let body = bytes[end.upperBound...]
        return body.count < length ? nil : (status, Data(body.prefix(length)))
    }

    private func waitAfterFailure(forWriting: Bool) async throws {
        guard errno == EAGAIN || errno == EINTR else { throw Self.error(errno) }
        try await wait(forWriting: forWriting)
    }

    /// Waits until the socket is ready or broken.
    private func wait(forWriting: Bool) async throws {
        // A source is thread-safe; Dispatch does not declare it.
        nonisolated(unsafe) let source: any DispatchSourceProtocol =
            forWriting
            ? DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
            : DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An event and a cancellation take the same path: a source runs its cancel handler exactly once, after it
                // has stopped using the descriptor.
                source.setEventHandler { source.cancel() }
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
        try Task.checkCancellation()
    }

    private static func error(_ code: CInt) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
}
