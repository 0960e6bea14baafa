// SPDX-License-Identifier: Apache-2.0

/// The credentials that requests must have. A request without them, or with wrong ones, is answered 401.
///
/// If there are users and a scrape token, either is enough where both are accepted. Descriptions have neither hashes nor
/// tokens. Its initializer is in the module `AxiomTLS`.
public struct HTTPAuthentication: Sendable, Hashable {
    /// The bcrypt hash of the password of each user, for basic authentication (RFC 7617), as `htpasswd -nBC 10` prints it:
    /// `$2y$10$` and 53 more characters. A cost of 4 to 16 is allowed.
    ///
    /// A password is checked on a thread of its own, two at a time. Each step of the cost doubles the time. The last 128
    /// passwords that were right are remembered as keyed hashes, as long as the server runs. An unknown user takes the time
    /// of the most costly hash.
    public var users: [String: String]

    /// A token for scrapes and health checks, sent as `Authorization: Bearer …` (RFC 6750). An extension of Axiom:
    /// exporter-toolkit has no tokens. It has at least 16 of the characters that RFC 6750 allows. It opens `/metrics`,
    /// `/healthz` and `/readyz`, and not the dashboard.
    public var scrapeToken: String?

    /// Whether `/healthz` and `/readyz` need no credentials, for supervisors that cannot send any. Default false.
    public var exemptsHealthChecks: Bool

    let library: SecurityLibrary

    /// `AxiomTLS` has the initializer for users.
    package init(_ library: SecurityLibrary, users: [String: String], scrapeToken: String?, exemptsHealthChecks: Bool) {
        (self.library, self.users, self.scrapeToken) = (library, users, scrapeToken)
        self.exemptsHealthChecks = exemptsHealthChecks
    }
}

extension HTTPAuthentication: CustomStringConvertible, CustomReflectable {
    /// The number of users, and whether there is a token.
    public var description: String {
        "\(users.count) users, \(scrapeToken == nil ? "no scrape token" : "a scrape token"), "
            + (exemptsHealthChecks ? "health checks exempt" : "no exemptions")
    }

    /// Shows what the description does.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
