// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

struct TransferRequest: Sendable {
    enum Method: String, Sendable {
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    let method: Method
    let url: EndpointURL
    let endpoint: PushEndpoint
    /// Fields beside those of the endpoint.
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    /// The fields of the response that the caller reads, in lower case.
    let answerFields: [String]

    init(
        _ method: Method,
        _ url: EndpointURL,
        _ endpoint: PushEndpoint,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        answerFields: [String] = []
    ) {
        self.method = method
        self.url = url
        self.endpoint = endpoint
        self.headers = headers
        self.body = body
        self.answerFields = answerFields
    }

    /// All fields as lines. libcurl writes those of credentials itself.
    var lines: [String] {
        let own = headers.map { "\($0.name): \($0.value)" }
        let others = endpoint.headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        // Without the first, libcurl waits for "100 Continue" before it sends a long body.
        return ["Expect:", "User-Agent: axiom-push"] + own + others
    }
}

struct TransferResponse: Sendable {
    let status: Int
    let body: [UInt8]
    /// The `Retry-After` field; nil if there is none.
    let retryAfter: Duration?
    /// The fields that the request asks for, by their name in lower case.
    let fields: [String: String]

    /// The longest wait that a server may ask for.
    static let longestRetryAfter = Duration.seconds(3_600)

    /// Whether the request succeeded.
    var isSuccess: Bool { (200...299).contains(status) }

    /// The response as an error.
    ///
    /// - Parameters:
    ///   - remedy: What to do about the status, where the protocol knows more than the status says; nil otherwise.
    ///   - isTransient: Whether the same request can succeed later. By default after 429 and 5xx.
    func error(
        _ url: EndpointURL,
        remedy: String? = nil,
        isTransient: (Int) -> Bool = { $0 == 429 || $0 >= 500 }
    ) -> PushError {
        if (300...399).contains(status) {
            return PushError(
                .rejected,
                "\(url) answered \(status), a redirect, which is not followed; give the final URL",
                status: status
            )
        }
        let text = Self.excerpt(of: body)
        let said = text.isEmpty ? "" : ": \(text)"
        let message = "\(url) answered \(status); \(remedy ?? Self.remedy(status))\(said)"
        return isTransient(status)
            ? PushError(.unavailable, message, status: status, retryAfter: retryAfter)
            : PushError(.rejected, message, status: status)
    }

    private static func remedy(_ status: Int) -> String {
        switch status {
        case 401, 403: "check the credentials of the endpoint"
        case 404, 405: "check the path of the URL, and whether the server accepts pushes there"
        case 413: "raise the limit of the server, or push fewer series"
        case 429: "raise the limit of the server, or push less often"
        case 500...: "check the server and its log"
        default: "check that the URL is that of the protocol, and what the server refused"
        }
    }

    /// The first characters, without line ends and control characters.
    static func excerpt(of body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(300), as: UTF8.self)
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return line.printable.clause
    }
}
