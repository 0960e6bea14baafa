// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import AxiomTLS
import AxiomTestSupport
import AxiomWebConfiguration
import Foundation
import Testing

@Suite(
    "Web configuration files that are read",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct GoodFileTests {
    private static let hash = "$2y$04$w2qEGbyomPTjabiAC8MkQ.jVA1FXB7WAL6w1Q1XA/S4Bli33Ai8E2"

    @Test("A file with every key becomes the options of a server, with paths relative to the file")
    func whole() async throws {
        let folder = try await WebFolder()
        try folder.certificates.write("0123456789abcdef\n", to: "token")
        let web = try folder.read(
            """
            tls_server_config:
              cert_file: server.pem
              key_file: \(folder.certificates.path("server.key"))
              client_auth_type: "RequireAndVerifyClientCert"
              client_ca_file: ./ca.pem
              client_allowed_sans: [scraper.internal, 10.0.0.7]
              min_version: TLS12
              max_version: TLS13
              cipher_suites:
                - TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
              prefer_server_cipher_suites: false
              curve_preferences: [CurveP256]
            http_server_config:
              http2: false
              headers:
                Strict-Transport-Security: max-age=31536000
                X-Frame-Options: deny
            basic_auth_users:
              ann: \(Self.hash)
            rate_limit:
              interval: 0s
            axiom:
              scrape_token_file: token
              exempt_health_checks: true
            """
        )
        var tls = TLSConfiguration(
            certificateFile: folder.certificates.path("server.pem"),
            keyFile: folder.certificates.path("server.key")
        )
        tls.clientAuthentication = .requireAndVerify
        tls.allowedClientNames = ["scraper.internal", "10.0.0.7"]
        tls.cipherSuites = ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"]
        tls.prefersServerCipherSuites = false
        tls.curves = ["CurveP256"]
        #expect(web.tls?.clientAuthoritiesFile?.hasSuffix("/./ca.pem") == true)
        tls.clientAuthoritiesFile = web.tls?.clientAuthoritiesFile
        #expect(web.tls == tls)
        let users = HTTPAuthentication(
            users: ["ann": Self.hash],
            scrapeToken: "0123456789abcdef",
            exemptsHealthChecks: true
        )
        #expect(web.authentication == users)
        let headers = ["Strict-Transport-Security": "max-age=31536000", "X-Frame-Options": "deny"]
        #expect(web.responseHeaders == headers)
        var configuration = HTTPServerConfiguration(port: 1)
        configuration.apply(web)
        #expect(configuration.tls == tls && configuration.authentication == users)
        #expect(configuration.responseHeaders == headers && configuration.port == 1)
    }

    @Test(
        "Nothing is required: empty files and empty sections mean plain HTTP without credentials",
        arguments: [
            "", "# nothing\n", "tls_server_config:\nbasic_auth_users:\n",
            "tls_server_config: {}\nbasic_auth_users: {}\n",
            "http_server_config:\n  headers: {}\nrate_limit: {}\naxiom: {}\n",
            "rate_limit:\n  interval: 0\n  burst: 20\n",
            "~", "null\n", "---\n", "--- # nothing\n", "%YAML 1.1\n---\n", "&a\n", "\u{FEFF}# nothing\r\n", "--- ~\r\n",
        ]
    )
    func empty(_ text: String) async throws {
        let web = try await WebFolder().read(text)
        #expect(web.tls == nil && web.authentication == nil && web.responseHeaders.isEmpty)
    }

    @Test("A token in a file may end with a line of Windows, and a file may begin with a byte order mark")
    func windows() async throws {
        let folder = try await WebFolder()
        for text in ["0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n", "\u{FEFF}0123456789abcdef\r\n"] {
            try folder.certificates.write(text, to: "token")
            let web = try folder.read("\u{FEFF}axiom:\r\n  scrape_token_file: token\r\n")
            #expect(web.authentication?.scrapeToken == "0123456789abcdef", "\(text.debugDescription)")
        }
    }

    @Test("The older name RequireClientCert is understood, and anchors of YAML work")
    func variants() async throws {
        let folder = try await WebFolder()
        let web = try folder.read(
            "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n  client_auth_type: RequireClientCert\n"
                + "basic_auth_users:\n  ann: &hash \(Self.hash)\n  bob: *hash\n"
        )
        #expect(web.tls?.clientAuthentication == .requireAny)
        #expect(web.authentication?.users == ["ann": Self.hash, "bob": Self.hash])
    }
}
