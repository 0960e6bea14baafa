// SPDX-License-Identifier: Apache-2.0

/// What is known of a request before its body.
struct RequestHead: Sendable {
    let method: HTTPMethod
    let isHTTP10: Bool
    let target: RequestTarget?
    let headers: HTTPHeaders
    let framing: RequestFraming

    init(method: HTTPMethod, isHTTP10: Bool, target: RequestTarget?, headers: HTTPHeaders) {
        self.method = method
        self.isHTTP10 = isHTTP10
        self.target = target
        self.headers = headers
        framing = RequestFraming(headers)
    }
}

/// How a request says where its body ends.
///
/// Two readers that disagree on it can be made to disagree on where the next request begins (request smuggling), so
/// whatever could be read in two ways is refused.
struct RequestFraming: Sendable {
    /// The announced length; `nil` without one.
    let contentLength: Int?
    let hasBody: Bool
    /// The answer to a request whose end is ambiguous.
    let refusal: HTTPResponse?

    init(_ headers: HTTPHeaders) {
        let lengths = headers.values(of: "Content-Length")
        let codings = headers.values(of: "Transfer-Encoding")
        let length = lengths.first.flatMap { Self.isDecimal($0) ? Int($0) : nil }
        contentLength = length
        hasBody = !codings.isEmpty || (lengths.first != nil && length != 0)
        if lengths.count > 1 || codings.count > 1 || (!lengths.isEmpty && !codings.isEmpty)
            || (!lengths.isEmpty && length == nil)
        {
            refusal = .ambiguousLength
        } else if let coding = codings.first, !HTTPHeaders.equal(coding, "chunked") {
            refusal = .unknownCoding
        } else {
            refusal = nil
        }
    }

    private static func isDecimal(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// Both close the connection: what follows on it could be a part of this request as well as the next.
extension HTTPResponse {
    fileprivate static let ambiguousLength = closing("The length of the body is ambiguous.\n", .badRequest)

    fileprivate static let unknownCoding = closing("The only transfer coding is chunked.\n", .notImplemented)

    private static func closing(_ text: String, _ status: HTTPStatus) -> HTTPResponse {
        var response = HTTPResponse.text(text, status: status)
        response.closesConnection = true
        return response
    }
}
