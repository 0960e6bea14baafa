// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import AxiomTLS

/// `basic_auth_users`, and the extension `axiom`.
enum AuthenticationSection {
    private static let extensionKeys = ["scrape_token", "scrape_token_file", "exempt_health_checks"]

    /// Nil if the file asks for no credentials.
    static func authentication(_ root: YAMLTable) throws(WebConfigurationError) -> HTTPAuthentication? {
        let (users, axiom) = (try root.table("basic_auth_users"), try root.table("axiom"))
        try axiom?.allow(extensionKeys)
        var authentication = HTTPAuthentication()
        for name in users?.keys ?? [] { authentication.users[name] = try users?.text(name) }
        if let axiom { authentication.scrapeToken = try token(axiom) }
        let exempts = try axiom?.flag("exempt_health_checks") ?? false
        guard !authentication.users.isEmpty || authentication.scrapeToken != nil else {
            if exempts, let axiom {
                throw axiom.error(
                    "exempt_health_checks",
                    "axiom.exempt_health_checks is true, but no credentials are required; add basic_auth_users or a "
                        + "scrape token, or remove the key"
                )
            }
            return nil
        }
        authentication.exemptsHealthChecks = exempts
        do throws(AuthenticationProblem) {
            try authentication.validate()
        } catch {
            switch error.option {
            case .user(let name): throw (users ?? root).error(name, "basic_auth_users: \(error.message)")
            case .scrapeToken:
                let key = axiom?.keys.first { $0.hasPrefix("scrape_token") } ?? "scrape_token"
                throw (axiom ?? root).error(key, "axiom.\(key): \(error.message)")
            }
        }
        return authentication
    }

    private static func token(_ axiom: YAMLTable) throws(WebConfigurationError) -> String? {
        let (inline, path) = (try axiom.text("scrape_token"), try axiom.filePath("scrape_token_file"))
        guard let path else { return inline }
        guard inline == nil else {
            throw axiom.error("scrape_token", "axiom has scrape_token and scrape_token_file; remove one of them")
        }
        let text = try TextFile.read(path, limit: 4_096) {
            axiom.error("scrape_token_file", "axiom.scrape_token_file: \($0)")
        }
        // Editors and `echo` end a file with a line feed, on Windows behind a carriage return and a byte order mark in front.
        let token = text.drop { $0 == "\u{FEFF}" }
        return String(token.last?.isNewline == true ? token.dropLast() : token)
    }
}
