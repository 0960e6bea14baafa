// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import AxiomWebConfiguration
import Foundation
import Testing

/// Files of a test, and the errors of reading `web.yml` with the folder left out.
struct WebFolder {
    let certificates: TestCertificates

    init() async throws { certificates = try await TestCertificates() }

    func read(_ text: String) throws -> WebConfiguration {
        try WebConfiguration(file: try certificates.write(text, to: "web.yml"))
    }

    /// The error of a file as users see it; nil if it can be used.
    func error(_ text: String) throws -> String? {
        let file = try certificates.write(text, to: "web.yml")
        do throws(WebConfigurationError) {
            _ = try WebConfiguration(file: file)
            return nil
        } catch {
            #expect(error.localizedDescription == error.description)
            return error.description.replacing(certificates.folder.path + "/", with: "")
        }
    }
}

@Suite(
    "Web configuration files that are refused",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct BadFileTests {
    private static let tls = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
    private static let hash = "$2b$04$w2qEGbyomPTjabiAC8MkQ.jVA1FXB7WAL6w1Q1XA/S4Bli33Ai8E2"

    private static let structure: [(String, String)] = [
        ("- a\n", "web.yml:1: the file is a list; write keys with values"),
        ("text\n", "web.yml:1: the file is a single value; write keys with values"),
        (
            "basic_auth_user:\n  ann: x\n",
            "web.yml:1: basic_auth_user is no known key; known are tls_server_config, http_server_config, "
                + "basic_auth_users, rate_limit, axiom"
        ), ("a: [\n", "web.yml:2: it is no YAML: did not find expected node content"),
        ("a: 1\na: 2\n", "web.yml:1: the keys of a table occur twice: a; remove one of each"),
        ("tls_server_config: 3\n", "web.yml:1: tls_server_config is a single value; write keys with values"),
        ("\n\nbasic_auth_users: [ann]\n", "web.yml:3: basic_auth_users is a list; write keys with values"),
    ]

    private static let options: [(String, String)] = [
        (
            "tls_server_config:\n  cert_file: server.pem\n",
            "web.yml:1: tls_server_config.key_file is missing; name the file in PEM format"
        ),
        (
            "tls_server_config:\n  client_auth_type: NoClientCert\n",
            "web.yml:1: tls_server_config.cert_file is missing; name the file in PEM format"
        ),
        (
            tls + "  key: x\n",
            "web.yml:4: tls_server_config.key with inline text is not supported; name a file with key_file"
        ),
        (
            tls + "  max_version:\n",
            "web.yml:4: tls_server_config.max_version is empty; write one value, or remove the key"
        ),
        (
            tls + "  max_version: [TLS12]\n",
            "web.yml:4: tls_server_config.max_version is a list; write one value, or remove the key"
        ),
        (
            tls + "  min_version: TLS10\n",
            "web.yml:4: tls_server_config.min_version is \"TLS10\", an outdated version that is not offered (RFC 8996); "
                + "write TLS12 or TLS13"
        ),
        (
            tls + "  max_version: TLS14\n",
            "web.yml:4: tls_server_config.max_version is \"TLS14\", no known version; write TLS12 or TLS13"
        ),
        (
            tls + "  min_version: TLS13\n  max_version: TLS12\n",
            "web.yml:4: tls_server_config.min_version: the oldest version TLS13 is newer than the newest, TLS12; raise the "
                + "newest, or lower the oldest"
        ),
        (
            tls + "  client_auth_type: Sometimes\n",
            "web.yml:4: tls_server_config.client_auth_type is \"Sometimes\"; known are NoClientCert, RequestClientCert, "
                + "RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert"
        ),
        (
            tls + "  client_ca_file: ca.pem\n",
            "web.yml:4: tls_server_config.client_ca_file: authorities are named, but NoClientCert verifies no client "
                + "certificate; choose RequireAndVerifyClientCert, or leave the authorities out"
        ),
        (
            tls + "  client_auth_type: RequireAndVerifyClientCert\n",
            "web.yml:4: tls_server_config.client_auth_type: RequireAndVerifyClientCert needs the authorities that sign "
                + "client certificates; name their file"
        ),
        (
            tls + "  client_auth_type: RequireAnyClientCert\n  client_allowed_sans: [a]\n",
            "web.yml:5: tls_server_config.client_allowed_sans: names of clients are allowed, but RequireAnyClientCert does "
                + "not prove the names of all clients; choose RequireAndVerifyClientCert, or leave the names out"
        ),
        (
            tls + "  cipher_suites:\n    - TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256\n    - TLS_RSA_WITH_RC4_128_SHA\n",
            "web.yml:6: tls_server_config.cipher_suites: TLS_RSA_WITH_RC4_128_SHA is not offered, because it is insecure or "
                + "lacks forward secrecy; remove it"
        ),
        (
            tls + "  curve_preferences: [X25519,\n    P-256]\n",
            "web.yml:5: tls_server_config.curve_preferences: \"P-256\" is no known curve; known are X25519, CurveP256, "
                + "CurveP384, CurveP521"
        ),
        (tls + "  cipher_suites: AES\n", "web.yml:4: tls_server_config.cipher_suites is a single value; write a list"),
        (
            tls + "  cipher_suites: [[a]]\n",
            "web.yml:4: an entry of tls_server_config.cipher_suites is a list; write one value"
        ),
        (
            tls + "  prefer_server_cipher_suites: perhaps\n",
            "web.yml:4: tls_server_config.prefer_server_cipher_suites is neither true nor false; write one of them"
        ),
        (
            "http_server_config:\n  http2: true\n",
            "web.yml:2: http_server_config.http2 is true, but only HTTP/1.1 is served; write false or remove the key"
        ),
        (
            "http_server_config:\n  headers:\n    Server: x\n",
            "web.yml:3: http_server_config.headers.Server is no known key; known are Content-Security-Policy, "
                + "Strict-Transport-Security, X-Content-Type-Options, X-Frame-Options, X-XSS-Protection"
        ),
        (
            "http_server_config:\n  headers:\n    X-Frame-Options: allow\n",
            "web.yml:3: http_server_config.headers.X-Frame-Options is \"allow\"; write deny or sameorigin"
        ),
        (
            "http_server_config:\n  headers:\n    X-XSS-Protection: \"1\\r\\nX: y\"\n",
            "web.yml:3: http_server_config.headers.X-XSS-Protection has a control character; write one line"
        ),
        (
            "rate_limit:\n  interval: 1s\n  burst: 3\n",
            "web.yml:1: rate_limit is not supported, because one hostile client could use up the limit of all; remove it: "
                + "the connections of each address are limited"
        ),
    ]

    private static let credentials: [(String, String)] = [
        (
            "basic_auth_users:\n  ann: \(hash)\n  bob: secret\n",
            "web.yml:3: basic_auth_users: the hash of the user bob is no bcrypt hash; make one, for example by `htpasswd "
                + "-nBC 10 NAME` without the name and the colon"
        ),
        ("basic_auth_users:\n  ann:\n", "web.yml:2: basic_auth_users.ann is empty; write one value, or remove the key"),
        (
            "basic_auth_users:\n  ann: ~\n",
            "web.yml:2: basic_auth_users.ann is empty; write one value, or remove the key"
        ),
        (
            "axiom:\n  scrape_token: null\n",
            "web.yml:2: axiom.scrape_token is empty; write one value, or remove the key"
        ),
        (
            "axiom:\n  bearer: x\n",
            "web.yml:2: axiom.bearer is no known key; known are scrape_token, scrape_token_file, exempt_health_checks"
        ),
        (
            "axiom:\n  exempt_health_checks: true\n",
            "web.yml:2: axiom.exempt_health_checks is true, but no credentials are required; add basic_auth_users or a scrape "
                + "token, or remove the key"
        ),
        (
            "axiom:\n  scrape_token: short\n",
            "web.yml:2: axiom.scrape_token: the scrape token has fewer than 16 characters, or others than letters, digits and "
                + "-._~+/=; make one, for example by `openssl rand -hex 32`"
        ),
        (
            "axiom:\n  scrape_token: 0123456789abcdef\n  scrape_token_file: token\n",
            "web.yml:2: axiom has scrape_token and scrape_token_file; remove one of them"
        ),
        (
            "axiom:\n  scrape_token_file: nothing\n",
            "web.yml:2: axiom.scrape_token_file: cannot read nothing: No such file or directory; check the path"
        ),
    ]

    @Test("Each fault is named with its line and the remedy")
    func faults() async throws {
        let folder = try await WebFolder()
        for (text, message) in Self.structure + Self.options + Self.credentials {
            #expect(try folder.error(text) == message, "\(text)")
        }
    }

    @Test("Files of certificates that cannot be used are named with the line of their key")
    func files() async throws {
        let folder = try await WebFolder()
        try await folder.certificates.issue("other", usage: "serverAuth")
        let missing = "tls_server_config:\n  cert_file: none.pem\n  key_file: server.key\n"
        #expect(
            try folder.error(missing)
                == "web.yml:2: tls_server_config.cert_file: cannot read none.pem: No such file or directory; check the path"
        )
        let foreign = "tls_server_config:\n  cert_file: server.pem\n  key_file: other.key\n"
        #expect(
            try folder.error(foreign)
                == "web.yml:3: tls_server_config.key_file: the key in other.key is not that of the certificate in server.pem; "
                + "name the pair that was made together"
        )
        try folder.certificates.write("no certificate", to: "bad.pem")
        let authorities = Self.tls + "  client_auth_type: VerifyClientCertIfGiven\n  client_ca_file: bad.pem\n"
        #expect(
            try folder.error(authorities)?.hasPrefix(
                "web.yml:5: tls_server_config.client_ca_file: bad.pem has no certificate of an authority in PEM format"
            ) == true
        )
        #expect(throws: WebConfigurationError.self) {
            try WebConfiguration(file: folder.certificates.path("nowhere.yml"))
        }
    }

    @Test("One flipped bit of a file is an error that names the file, or another valid file")
    func flipped() async throws {
        let folder = try await WebFolder()
        let text = Self.tls + "basic_auth_users:\n  ann: \(Self.hash)\naxiom:\n  scrape_token: 0123456789abcdef0123\n"
        let whole = Array(text.utf8)
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            var bytes = whole
            bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            let path = folder.certificates.path("web.yml")
            try Data(bytes).write(to: URL(filePath: path))
            do throws(WebConfigurationError) {
                _ = try WebConfiguration(file: path)
            } catch {
                #expect(error.description.hasPrefix(path), "seed \(seed), \(round): \(error)")
            }
        }
    }

    @Test("A key without the permission to read it is an error at its line")
    func unreadableKey() async {
        await #expect(processExitsWith: .success) {
            try await Privileges.dropped {
                let folder = try await WebFolder()
                #expect(chmod(folder.certificates.path("server.key"), 0) == 0)
                let error = try folder.error(Self.tls)
                #expect(error?.contains("web.yml:3: tls_server_config.key_file: cannot read") == true)
            }
        }
    }

    @Test("No message shows a secret, also if the file is no YAML")
    func secrets() async throws {
        let folder = try await WebFolder()
        let secret = "hunter2hunter2hunter2"
        let texts = [
            "basic_auth_users:\n  ann: \(secret)\n", "axiom:\n  scrape_token: \"\(secret)\n",
            "axiom:\n  scrape_token: [\(secret)]\n", "axiom:\n  scrape_token: \(secret)!\n",
            "axiom: {scrape_token: \(secret), \(secret)\n", "basic_auth_users:\n  ann: {a: \(secret)}\n",
            "axiom:\n  exempt_health_checks: \(secret)\n", "axiom:\n\tscrape_token: \(secret)\n",
        ]
        for text in texts {
            let message = try #require(try folder.error(text), "\(text)")
            #expect(!message.contains(secret), "\(message)")
        }
    }
}
