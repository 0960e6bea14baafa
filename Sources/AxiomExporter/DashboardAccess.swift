// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP

/// Decides which requests may read the dashboard, and which may act on the application.
struct DashboardAccess: Sendable {
    private let token: [UInt8]?

    init(token: String?) {
        self.token = token.map { Array($0.utf8) }
    }

    /// The query for links to other pages: empty, or the token, percent-encoded except for letters and digits.
    var query: String {
        guard let token else { return "" }
        let digits = Array("0123456789ABCDEF")
        return token.reduce(into: "?token=") { query, byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber)
            query += isPlain ? String(character) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }

    /// The response to a refused request; nil if the request is allowed.
    ///
    /// Browsers send the page that makes a request in `Origin`. It must have the host and port of the `Host` header, which
    /// the server has checked. The scheme may differ behind a proxy with TLS.
    func refusal(_ request: HTTPRequest) -> HTTPResponse? {
        let origins = request.headers.values(of: "Origin")
        guard origins.allSatisfy({ Self.isOwn($0, host: request.headers["Host"] ?? "") }) else {
            return Self.refuse("Requests from pages of other servers are refused.\n")
        }
        guard let token, !Self.isEqual(Array((request.queryValue("token") ?? "").utf8), token) else { return nil }
        return Self.refuse("The dashboard requires its token: add ?token= and the token that the program printed.\n")
    }

    /// The response to a refused request that acts; nil if the request is allowed.
    ///
    /// Beside the rules for reading: a browser must state that the request comes from a page of this server, and the body
    /// must be JSON, which a form of another page cannot send.
    func refusalOfAction(_ request: HTTPRequest) -> HTTPResponse? {
        if let refusal = refusal(request) { return refusal }
        guard token != nil else { return Self.refuse("Actions require a dashboard with a token.\n") }
        guard request.headers.values(of: "Sec-Fetch-Site").allSatisfy({ $0.lowercased() == "same-origin" }) else {
            return Self.refuse("Requests from pages of other servers are refused.\n")
        }
        let types = request.headers.values(of: "Content-Type").map { $0.lowercased().filter { $0 != " " } }
        guard types == ["application/json"] || types == ["application/json;charset=utf-8"] else {
            return .text("The Content-Type has to be application/json.\n", status: HTTPStatus(415))
        }
        return nil
    }

    private static func refuse(_ reason: String) -> HTTPResponse {
        var response = HTTPResponse.text(reason, status: .forbidden)
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    private static func isOwn(_ origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
    }

    /// Compares in constant time, so that the time reveals no part of the secret.
    private static func isEqual(_ given: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference = UInt8(given.count == secret.count ? 0 : 1)
        for (index, byte) in secret.enumerated() {
            difference |= byte ^ (given.isEmpty ? 0 : given[index % given.count])
        }
        return difference == 0
    }
}
