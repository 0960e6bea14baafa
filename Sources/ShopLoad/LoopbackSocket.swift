// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

#if canImport(Glibc)
private let streamWithoutBlocking = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
#else
private let streamWithoutBlocking = CInt(SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC)
#endif

// Outside of the type, whose methods have the names of the system calls.
private func sendBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
}

private func connectSocket(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>) -> CInt {
    connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
}

/// A TCP connection to a port of this machine that never blocks a thread. It closes at the end of its scope.
struct LoopbackSocket: ~Copyable {
    private let descriptor: CInt

    /// Connects.
    ///
    /// - Throws: ``SocketError``, or `CancellationError` if the task is cancelled.
    init(port: Int) async throws {
        descriptor = socket(AF_INET, streamWithoutBlocking, 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        guard Self.connect(descriptor, port: port) != 0 else { return }
        guard errno == EINPROGRESS else { throw SocketError("connect") }
        try await Readiness.writable.wait(descriptor)
        let code = Self.pendingError(descriptor)
        guard code == 0 else { throw SocketError("connect", code: code) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends all of `bytes`.
    ///
    /// - Throws: ``SocketError``, or `CancellationError` if the task is cancelled.
    func send(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { sendBytes(descriptor, $0) }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else {
                try await waitOrThrow("send", until: .writable)
            }
        }
    }

    /// Receives at least one byte; none if the peer has closed the connection.
    ///
    /// - Throws: ``SocketError``, or `CancellationError` if the task is cancelled.
    func receive() async throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return Array(buffer[..<count]) }
            try await waitOrThrow("receive", until: .readable)
        }
    }

    /// Sends a request, and receives its response.
    ///
    /// - Throws: ``SocketError``; ``ResponseParser/Malformed``; `CancellationError` if the task is cancelled.
    func exchange(_ request: [UInt8]) async throws -> ResponseParser.Response {
        try await send(request)
        var parser = ResponseParser()
        while true {
            if let response = try parser.take(try await receive()) { return response }
        }
    }

    /// Whether the connection is open and no bytes wait to be received. Call it between two requests.
    var isIdle: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) < 0
            && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    /// Ends the connection before the end of the scope.
    func end() {
        _ = shutdown(descriptor, CInt(SHUT_RDWR))
    }

    private func waitOrThrow(_ operation: String, until readiness: Readiness) async throws {
        let code = errno
        if code == EINTR { return }
        guard code == EAGAIN || code == EWOULDBLOCK else { throw SocketError(operation, code: code) }
        try await readiness.wait(descriptor)
    }

    private static func connect(_ descriptor: CInt, port: Int) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(descriptor, $0)
            }
        }
    }

    private static func pendingError(_ descriptor: CInt) -> CInt {
        var code: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }
}

/// A system call on a socket failed.
struct SocketError: Error, Hashable, CustomStringConvertible {
    let operation: String
    let code: CInt

    init(_ operation: String, code: CInt = errno) {
        self.operation = operation
        self.code = code
    }

    var isReset: Bool { code == ECONNRESET || code == EPIPE }

    var description: String { "\(operation): \(String(cString: strerror(code)))" }
}

/// The readiness of a socket that a task waits for.
private enum Readiness: Sendable {
    case readable
    case writable

    private static let queue = DispatchQueue(label: "axiom-demo.sockets")

    /// Waits until `descriptor` is ready or broken, without holding a thread.
    ///
    /// Nothing uses the descriptor any more when this returns or throws, so it may be closed.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(_ descriptor: CInt) async throws {
        // A source is thread-safe; Dispatch does not declare it.
        nonisolated(unsafe) let source = source(descriptor)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An event and a cancellation take the same path: the cancel handler of a source runs exactly once, after
                // the source has stopped using the descriptor.
                source.setEventHandler { source.cancel() }
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
        try Task.checkCancellation()
    }

    private func source(_ descriptor: CInt) -> any DispatchSourceProtocol {
        switch self {
        case .readable: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: Self.queue)
        case .writable: DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: Self.queue)
        }
    }
}
