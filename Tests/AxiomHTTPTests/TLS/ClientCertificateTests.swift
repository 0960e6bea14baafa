// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@testable import AxiomHTTP
@testable import AxiomTLS

@Suite(
    "Client certificates",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct ClientCertificateTests {
    /// A fixture with clients: `good`, `expired`, `foreign` (of another authority), `wrong` (for servers only).
    private static func makeFixture() async throws -> TLSFixture {
        let fixture = try await TLSFixture()
        let certificates = fixture.certificates
        try await certificates.makeAuthority("other")
        let names = "DNS:scraper.internal,IP:10.0.0.7,email:ops@example.org,URI:spiffe://prod/scraper"
        try await certificates.issue("good", names: names, usage: "clientAuth")
        try await certificates.issue("expired", usage: "clientAuth", days: -1)
        try await certificates.issue("foreign", names: names, usage: "clientAuth", by: "other")
        try await certificates.issue("wrong", names: names, usage: "serverAuth")
        return fixture
    }

    /// Whether a client with this certificate is served, in both versions of TLS.
    private static func isServed(_ fixture: TLSFixture, _ port: Int, _ identity: String?) async -> Bool {
        var answers: [Bool] = []
        for version in ["1.2", "1.3"] {
            let client = try? await fixture.client(
                port,
                identity: identity,
                priorities: "NORMAL:-VERS-ALL:+VERS-TLS\(version)"
            )
            // In TLS 1.3 the handshake of the client ends before the server decides.
            answers.append((try? await client?.request("GET", "/").body) == "in")
        }
        #expect(answers[0] == answers[1], "\(identity ?? "none")")
        return answers[0]
    }

    @Test(
        "Each kind of client authentication serves whom exporter-toolkit would serve",
        arguments: [
            (TLSConfiguration.ClientAuthentication.none, ["none", "good", "expired", "foreign", "wrong"]),
            (.request, ["none", "good", "expired", "foreign", "wrong"]),
            (.requireAny, ["good", "expired", "foreign", "wrong"]), (.verifyIfGiven, ["none", "good"]),
            (.requireAndVerify, ["good"]),
        ]
    )
    func kinds(_ kind: TLSConfiguration.ClientAuthentication, _ served: [String]) async throws {
        let fixture = try await Self.makeFixture()
        let change: TLSFixture.Change = { configuration in
            configuration.tls?.clientAuthentication = kind
            if kind.verifies { configuration.tls?.clientAuthoritiesFile = fixture.certificates.path("ca.pem") }
        }
        try await fixture.serving(TLSFixture.routes, change) { _, port in
            for client in ["none", "good", "expired", "foreign", "wrong"] {
                let isServed = await Self.isServed(fixture, port, client == "none" ? nil : client)
                #expect(isServed == served.contains(client), "\(kind.rawValue): \(client)")
            }
        }
    }

    @Test("A refused certificate is reported with its cause, and its client gets an alert")
    func causes() async throws {
        let fixture = try await Self.makeFixture()
        let change: TLSFixture.Change = { configuration in
            configuration.tls?.clientAuthentication = .requireAndVerify
            configuration.tls?.clientAuthoritiesFile = fixture.certificates.path("ca.pem")
        }
        try await fixture.serving(TLSFixture.routes, change) { _, port in
            for (client, cause) in [("expired", "expired"), ("foreign", "issuer is unknown"), ("wrong", "purpose")] {
                let connection = try await fixture.client(port, identity: client)
                // It sends nothing: the alert could be lost to the reset that answers bytes on a closed connection.
                let failure = await #expect(throws: TLSClient.Failure.self) {
                    _ = try await connection.readToEnd()
                }
                #expect(failure == .failed("Certificate is bad"), "\(client)")
                let reports = fixture.events.entries.compactMap { event in
                    if case .clientCertificateRefused(let message) = event { message } else { nil }
                }
                #expect(reports.last?.contains(cause) == true, "\(reports)")
                #expect(reports.last?.hasPrefix("127.0.0.1: the client certificate was refused: ") == true)
            }
        }
        #expect(fixture.events.entries.count { $0 == .handshakeFailed } == 3)
    }

    @Test(
        "Of allowed names a certificate must have one, of any kind, exactly",
        arguments: [
            ("scraper.internal", true), ("10.0.0.7", true), ("ops@example.org", true), ("spiffe://prod/scraper", true),
            ("*.internal", false), ("internal", false), ("good", false), ("Scraper.internal", false),
        ]
    )
    func names(_ allowed: String, _ isServed: Bool) async throws {
        let fixture = try await Self.makeFixture()
        let change: TLSFixture.Change = { configuration in
            configuration.tls?.clientAuthentication = .requireAndVerify
            configuration.tls?.clientAuthoritiesFile = fixture.certificates.path("ca.pem")
            configuration.tls?.allowedClientNames = ["another.internal", allowed]
        }
        try await fixture.serving(TLSFixture.routes, change) { _, port in
            let good = await Self.isServed(fixture, port, "good")
            let foreign = await Self.isServed(fixture, port, "foreign")
            #expect(good == isServed && !foreign)
        }
    }
}
