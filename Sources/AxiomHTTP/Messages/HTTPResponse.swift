// SPDX-License-Identifier: Apache-2.0

/// What a handler answers.
///
/// The server adds `Date`, `Content-Length` or `Transfer-Encoding`, and `Connection` where it applies; nothing that
/// names the server. Headers are checked when the response is sent: one that cannot be sent becomes a 500 and is
/// reported to the server's `onFailure`.
public struct HTTPResponse: Sendable {
    enum Content: Sendable {
        case body(HTTPBody)
        case stream(HTTPBodyStream)
        case reset
    }

    /// The status.
    public var status: HTTPStatus
    /// The header fields.
    public var headers: HTTPHeaders
    /// Whether the connection ends after this response. Off, unless told.
    public var closesConnection = false
    var content: Content

    private init(status: HTTPStatus, headers: HTTPHeaders, content: Content) {
        self.status = status
        self.headers = headers
        self.content = content
    }

    /// Makes a response with a body that may be shared; nothing is copied.
    public init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: HTTPBody = .empty) {
        self.init(status: status, headers: headers, content: .body(body))
    }

    /// Makes a response from bytes, which are copied once.
    public init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: [UInt8]) {
        self.init(status: status, headers: headers, body: HTTPBody(body))
    }

    /// Makes a response of plain text in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: ["Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"],
            body: HTTPBody(text)
        )
    }

    /// Makes a response whose body is sent chunk by chunk as `chunks` produces it, for as long as it does.
    ///
    /// One chunk is held at a time: the sequence is asked for the next when the network has taken the last. Its task
    /// is cancelled when the client goes away or the server stops. A sequence that throws breaks the connection off,
    /// so that the client sees an incomplete body, and is reported to the server's `onFailure`.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        status: HTTPStatus = .ok,
        headers: HTTPHeaders = [:],
        _ chunks: Chunks
    ) -> HTTPResponse where Chunks.Element == [UInt8] {
        HTTPResponse(status: status, headers: headers, content: .stream(HTTPBodyStream(chunks)))
    }

    /// Not an answer but a fault, for tests of clients: the connection is reset (TCP `RST`) and nothing is sent.
    public static let reset = HTTPResponse(status: .ok, headers: [:], content: .reset)

    /// - Throws: ``HTTPServerError`` with code `invalidResponse` that says what cannot be sent.
    func validateForSending() throws {
        guard status.isFinal else {
            throw HTTPServerError(.invalidResponse, "the status \(status.code) is not in 200...599")
        }
        try headers.validateForSending()
    }
}
