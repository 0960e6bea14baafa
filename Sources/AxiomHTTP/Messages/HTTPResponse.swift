// SPDX-License-Identifier: Apache-2.0

/// The response of a handler.
///
/// The server adds `Date`, `Content-Length` or `Transfer-Encoding`, and `Connection` where it applies. It checks the
/// headers when it sends the response; one that cannot be sent is replaced by a 500 and reported to the server's
/// `onFailure`.
package struct HTTPResponse: Sendable {
    enum Content: Sendable {
        case body(HTTPBody)
        case stream(HTTPBodyStream)
        case reset
    }

    package var status: HTTPStatus
    package var headers: HTTPHeaders
    /// Whether the connection ends after this response. False by default.
    package var closesConnection = false
    var content: Content

    private init(status: HTTPStatus, headers: HTTPHeaders, content: Content) {
        self.status = status
        self.headers = headers
        self.content = content
    }

    /// Creates a response with a body, which is not copied.
    package init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: HTTPBody) {
        self.init(status: status, headers: headers, content: .body(body))
    }

    /// Creates a response with a copy of `body`.
    package init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: HTTPBody(body))
    }

    /// Creates a response of plain text in UTF-8.
    package static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"],
            body: HTTPBody(text)
        )
    }

    /// Creates a response whose body is sent in chunks as `chunks` produces them.
    ///
    /// One chunk is held at a time: the next one is requested after the last one was sent. The task that iterates is
    /// cancelled when the client disconnects or the server stops. If the sequence throws, the connection ends, so that the
    /// client sees an incomplete body, and the error is reported to the server's `onFailure`.
    package static func stream<Chunks: AsyncSequence & Sendable>(
        headers: HTTPHeaders = [:],
        _ chunks: Chunks
    ) -> HTTPResponse where Chunks.Element == [UInt8] {
        HTTPResponse(status: .ok, headers: headers, content: .stream(HTTPBodyStream(chunks)))
    }

    /// A fault for tests of clients: the connection is reset (TCP `RST`) and nothing is sent.
    package static let reset = HTTPResponse(status: .ok, headers: [:], content: .reset)

    /// - Throws: ``HTTPServerError`` with code `invalidResponse` that names what cannot be sent.
    func validateForSending() throws {
        guard status.isFinal else {
            throw HTTPServerError(.invalidResponse, "the status \(status.code) is not in 200...599")
        }
        try headers.validateForSending()
    }
}

/// A body that is produced while it is sent; erases the type of its sequence.
struct HTTPBodyStream: Sendable {
    /// Passes each chunk to the closure and returns at the end of the sequence.
    let produce: @Sendable (_ send: @Sendable ([UInt8]) async throws -> Void) async throws -> Void

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        produce = { send in
            for try await chunk in chunks { try await send(chunk) }
        }
    }
}

/// A final response status, 200 to 599.
///
/// A response with a status outside that range is replaced by a 500 and reported.
package struct HTTPStatus: Hashable, Sendable {
    /// The three-digit code.
    package let code: Int

    /// Creates a status from its code; 200 to 599 can be sent.
    package init(_ code: Int) { self.code = code }

    package static let ok = HTTPStatus(200)
    package static let created = HTTPStatus(201)
    package static let seeOther = HTTPStatus(303)
    package static let badRequest = HTTPStatus(400)
    package static let unauthorized = HTTPStatus(401)
    package static let forbidden = HTTPStatus(403)
    package static let notFound = HTTPStatus(404)
    static let methodNotAllowed = HTTPStatus(405)
    static let contentTooLarge = HTTPStatus(413)
    static let internalServerError = HTTPStatus(500)
    static let notImplemented = HTTPStatus(501)
    package static let serviceUnavailable = HTTPStatus(503)

    /// Whether the status is final: 200 to 599.
    var isFinal: Bool { (200...599).contains(code) }
}

/// The responses of the server itself. The texts name the remedy and reveal nothing about the program.
extension HTTPResponse {
    /// A handler failed.
    static let failed = text("The request failed.\n", status: .internalServerError)

    /// The request target is refused.
    static let malformedTarget = text(
        "The request target is not a path that begins with a slash, or such a path after http:// and a host, in UTF-8, with "
            + "sound % escapes.\n",
        status: .badRequest
    )

    /// The server no longer takes requests.
    static let shuttingDown: HTTPResponse = {
        var response = text("The server is shutting down.\n", status: .serviceUnavailable)
        response.closesConnection = true
        return response
    }()

    /// See ``HTTPServerConfiguration/maximumUnsentBytes``.
    static let tooManyReaders = later("Too many clients have not read their responses yet: try again later.\n")

    /// See ``HTTPServerConfiguration/streamLimit``.
    static let tooManyStreams = later("There are as many streams as this server allows: try again later.\n")

    private static func later(_ message: String) -> HTTPResponse {
        var response = text(message, status: .serviceUnavailable)
        response.headers["Retry-After"] = "10"
        return response
    }

    /// See ``ConnectionTable/claim(_:now:)``.
    static let reserveOnly: HTTPResponse = {
        var response = later("Every connection is busy: try again later.\n")
        response.closesConnection = true
        return response
    }()

    /// See ``VerificationQueue``.
    static let tooManyPasswords = later("Too many passwords are being checked: try again later.\n")

    /// See ``HTTPServerConfiguration/allowedHosts``.
    static let foreignHost = text(
        "This server does not answer to the name in the Host header. If it should, add the name to allowedHosts.\n",
        status: .forbidden
    )

    /// The path has routes for other methods only.
    static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
        var response = text("Allowed here: \(allowed).\n", status: .methodNotAllowed)
        response.headers["Allow"] = allowed
        return response
    }

    /// The request body is longer than the route allows.
    static func contentTooLarge(_ limit: Int) -> HTTPResponse {
        text("The body may have \(limit) bytes here.\n", status: .contentTooLarge)
    }
}

/// Immutable bytes that responses share and that are sent without another copy.
///
/// To serve a page that never changes, create its body once and use it in every response.
package final class HTTPBody: Sendable {
    /// Not written during the lifetime of the body, so any thread may read it. Either the initializer allocated and wrote
    /// it, or its owner guarantees it.
    nonisolated(unsafe) private let storage: UnsafeRawBufferPointer
    /// Returns the storage to its owner; nil if the body owns it.
    private let onRelease: (@Sendable () -> Void)?

    /// Copies `bytes` into a body.
    package convenience init(_ bytes: [UInt8]) { self.init(copyOf: bytes) }

    /// Copies the bytes that `bytes` points to.
    package convenience init(copying bytes: UnsafeRawBufferPointer) { self.init(copyOf: bytes) }

    /// Copies the UTF-8 of `text` into a body.
    package convenience init(_ text: String) { self.init(copyOf: text.utf8) }

    /// Creates a body of memory that the caller owns, without a copy: for buffers that are reused.
    ///
    /// - Parameters:
    ///   - bytes: The bytes. The memory must be neither moved nor written before the call of `onRelease`.
    ///   - onRelease: Called once, on any thread, when the last reference to the body is gone: with a slow reader, long
    ///     after the handler has returned. It should be quick.
    package init(sharing bytes: UnsafeRawBufferPointer, onRelease: @escaping @Sendable () -> Void) {
        storage = bytes
        self.onRelease = onRelease
    }

    private init(copyOf bytes: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        memory.copyBytes(from: bytes)
        storage = UnsafeRawBufferPointer(memory)
        onRelease = nil
    }

    deinit {
        if let onRelease { onRelease() } else { storage.deallocate() }
    }

    /// How many bytes the body has.
    package var count: Int { storage.count }

    /// A copy of the bytes.
    package var bytes: [UInt8] { Array(storage) }

    /// Calls `body` with the bytes, which are valid until it returns.
    package func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage)
    }

    /// The address of the bytes, valid for the lifetime of the body. They must not be written, although libmicrohttpd's
    /// type is not const.
    var address: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(mutating: storage.baseAddress) }
}
