// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import Foundation

/// Decides which requests may read the dashboard, and which may act on the application.
struct DashboardAccess: Sendable {
    private static let cookie = "axiom-dashboard"

    private let token: [UInt8]?
    /// The token, percent-encoded except for letters and digits, as links and cookies have it.
    private let encoded: String
    /// Whether the port speaks TLS.
    private let isEncrypted: Bool

    init(token: String?, isEncrypted: Bool = false) {
        let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))
        encoded = token?.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        (self.token, self.isEncrypted) = (token.map { Array($0.utf8) }, isEncrypted)
    }

    /// The query for links of a page to other pages: the token if the request has it in its query, else empty. A browser that
    /// has the cookie needs no token in the address, where histories and logs of proxies keep it.
    func query(of request: HTTPRequest) -> String {
        isGivenInQuery(request) ? "?token=\(encoded)" : ""
    }

    func isGivenInQuery(_ request: HTTPRequest) -> Bool {
        token != nil && request.queryValue("token") != nil
    }

    /// The response that exchanges the token in the address of a page for a cookie, and leads to the same page without it.
    /// Nil if the request has none, or does not come from a browser that shows a page.
    ///
    /// To be called for an allowed request.
    func exchange(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.path == "/", isGivenInQuery(request),
            request.headers.values(of: "Accept").contains(where: { $0.contains("text/html") })
        else { return nil }
        var headers = DashboardRoutes.headers("text/plain; charset=utf-8")
        // Without a path: that of the page, also behind a proxy that adds one.
        let secure = isEncrypted ? "; Secure" : ""
        headers["Set-Cookie"] = "\(cookieName(request))=\(encoded); HttpOnly; SameSite=Strict\(secure)"
        headers["Location"] = "./"
        return HTTPResponse(status: .seeOther, headers: headers)
    }

    /// Cookies do not distinguish the ports of a host, so the name does: two dashboards of a machine have one cookie each.
    private func cookieName(_ request: HTTPRequest) -> String {
        let port = request.headers["Host"]?.split(separator: ":").last.flatMap { Int($0) }
        return Self.cookie + (port.map { "-\($0)" } ?? "")
    }

    /// The response to a refused request; nil if the request is allowed.
    ///
    /// Browsers send the page that makes a request in `Origin`. It must have the host and port of the `Host` header, which
    /// the server has checked. The scheme may differ behind a proxy with TLS. A page that loads a path as an image or a script
    /// sends none, but then browsers say that the request is cross-site. A link from another page is no such request.
    func refusal(_ request: HTTPRequest) -> HTTPResponse? {
        let origins = request.headers.values(of: "Origin")
        guard origins.allSatisfy({ Self.isOwn($0, host: request.headers["Host"] ?? "") }), !Self.isForeign(request)
        else {
            return Self.refuse("Requests from pages of other servers are refused.\n")
        }
        guard let token else { return nil }
        let isAllowed = given(request).contains { SecretMemory.isEqual($0, token) } || hasCookie(request)
        return isAllowed
            ? nil
            : Self.refuse(
                "The dashboard requires its token: open it with ?token= and the token that the program printed, or send "
                    + "Authorization: Bearer and the token. A browser has to accept its cookie.\n"
            )
    }

    /// The tokens of a request: in its query, and in its `Authorization` header.
    private func given(_ request: HTTPRequest) -> [[UInt8]] {
        let inQuery = request.queryValue("token").map { [Array($0.utf8)] } ?? []
        guard case .bearer(let token) = Credentials(request.headers) else { return inQuery }
        return inQuery + [token]
    }

    /// Whether one of the cookies of a request has the token.
    private func hasCookie(_ request: HTTPRequest) -> Bool {
        let wanted = Array("\(cookieName(request))=\(encoded)".utf8)
        let cookies = request.headers.values(of: "Cookie").flatMap { $0.split(separator: ";") }
        return cookies.contains { SecretMemory.isEqual(Array($0.drop { $0 == " " }.utf8), wanted) }
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

    private static func isForeign(_ request: HTTPRequest) -> Bool {
        request.headers["Sec-Fetch-Site"]?.lowercased() == "cross-site"
            && request.headers["Sec-Fetch-Mode"]?.lowercased() != "navigate"
    }

    private static func isOwn(_ origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
    }
}
