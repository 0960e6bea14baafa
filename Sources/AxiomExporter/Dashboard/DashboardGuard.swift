// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP

/// Who may see the dashboard. Nothing that it serves can be changed through it.
struct DashboardGuard: Sendable {
    private let token: [UInt8]?

    init(token: String?) {
        self.token = token.map { Array($0.utf8) }
    }

    /// What the address of another page needs, for who has seen one: empty, or the token with all but letters and digits
    /// in percents.
    var query: String {
        guard let token else { return "" }
        let digits = Array("0123456789ABCDEF")
        return token.reduce(into: "?token=") { query, byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber)
            query += isPlain ? String(character) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }

    /// What is answered instead; nil when the request may be answered.
    ///
    /// Browsers say in `Origin` which page asks. It must be one of this server's: the host and port under which it was
    /// asked, which the server has checked. (A proxy that speaks TLS changes the scheme.)
    func refusal(_ request: HTTPRequest) -> HTTPResponse? {
        let origins = request.headers.values(of: "Origin")
        guard origins.allSatisfy({ Self.isOwn($0, host: request.headers["Host"] ?? "") }) else {
            return Self.refuse("The page that asks is another server's: nothing here is for it.\n")
        }
        guard let token, !Self.isEqual(Array((request.queryValue("token") ?? "").utf8), token) else { return nil }
        return Self.refuse("The dashboard is shown with its token only: add ?token= and what the program printed.\n")
    }

    private static func refuse(_ why: String) -> HTTPResponse {
        var response = HTTPResponse.text(why, status: .forbidden)
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    private static func isOwn(_ origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
    }

    /// Takes as long for a secret that differs in the first byte as for one that differs in the last.
    private static func isEqual(_ given: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference = UInt8(given.count == secret.count ? 0 : 1)
        for (place, byte) in secret.enumerated() {
            difference |= byte ^ (given.isEmpty ? 0 : given[place % given.count])
        }
        return difference == 0
    }
}
