// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP
@testable import AxiomTLS

/// A server with TLS at a free port, and the certificates that it and its clients use.
struct TLSFixture {
    typealias Change = (inout HTTPServerConfiguration) -> Void

    let certificates: TestCertificates
    let events = Journal<SecurityEvent>()

    init() async throws { certificates = try await TestCertificates() }

    var tls: TLSConfiguration {
        TLSConfiguration(certificateFile: certificates.path("server.pem"), keyFile: certificates.path("server.key"))
    }

    func serving(
        _ routes: [HTTPRoute] = TLSFixture.routes,
        _ change: Change = { _ in },
        clock: TimeSource = .live,
        _ body: (HTTPServer, Int) async throws -> Void
    ) async throws {
        var configuration = HTTPServerConfiguration()
        (configuration.idleTimeout, configuration.headTimeout) = (.seconds(300), .seconds(300))
        configuration.tls = tls
        change(&configuration)
        let server = try HTTPServer(
            configuration: configuration,
            routes: routes,
            clock: clock,
            onSecurity: { [events] in events.write($0) }
        )
        try server.start()
        do {
            try await body(server, try #require(server.port))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    static let routes: [HTTPRoute] = [
        .immediate("/") { _ in .text("in") }, .immediate("/health") { _ in .text("well") }.healthCheck(),
        .get("/late") { _ in .text("late") },
        .post("/echo", maximumBodyBytes: 1 << 20) { HTTPResponse(body: $0.body) },
    ]

    func client(_ port: Int, identity: String? = nil, priorities: String = "NORMAL") async throws -> TLSClient {
        var options = TLSClient.Options(authority: certificates.path("ca.pem"))
        options.identity = identity.map { (certificates.path("\($0).pem"), certificates.path("\($0).key")) }
        options.priorities = priorities
        return try await TLSClient(port: port, options)
    }
}

@Suite(
    "Serving over TLS",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct TLSServingTests {
    @Test("Requests are answered by both kinds of handlers, several on one connection, in TLS 1.2 and 1.3")
    func serves() async throws {
        let fixture = try await TLSFixture()
        try await fixture.serving { _, port in
            for version in ["1.2", "1.3"] {
                let client = try await fixture.client(port, priorities: "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
                #expect(client.summary.hasPrefix("(TLS\(version)"))
                #expect(client.serverName == "server")
                for _ in 0..<3 {
                    #expect(try await client.request("GET", "/").body == "in")
                    #expect(try await client.request("GET", "/late").body == "late")
                }
                let text = String(repeating: "x", count: 1 << 20)
                #expect(try await client.request("POST", "/echo", body: text).body == text)
            }
        }
        #expect(fixture.events.entries.isEmpty)
    }

    @Test("A line without a name in a head is refused over TLS, too")
    func namelessLines() async throws {
        let fixture = try await TLSFixture()
        try await fixture.serving { _, port in
            for line in [":\n", "X: y\r\n:\n", ":\r\n", ": \n", ":x\r\n", ":\r", "X: y\r:\r"] {
                let client = try await fixture.client(port)
                #expect(try await client.request("GET", "/").body == "in")
                try await client.send(
                    "GET / HTTP/1.1\r\nHost: localhost\r\n\(line)GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
                let answer = try await client.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(line.debugDescription): \(answer)")
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(line.debugDescription): \(answer)")
            }
        }
    }

    @Test("Malformed and too long requests get the same bare answers as in plain text, encrypted")
    func refusals() async throws {
        let fixture = try await TLSFixture()
        let long = String(repeating: "a", count: 40_000)
        let requests: [(String, Int)] = [
            ("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n", 431),
            ("GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
            ("GET /  HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), ("GET / HTTP/1.1\nHost: localhost\n\n", 400),
            ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
            ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413),
            ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
            ("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ]
        try await fixture.serving { _, port in
            for (request, status) in requests {
                let client = try await fixture.client(port)
                // The server may refuse before it has read all of it.
                try? await client.send(request)
                let answer = try await client.response().status
                // libmicrohttpd itself answers some that do not fit into its memory.
                #expect(answer == status || (status == 414 && answer == 431), "\(request.prefix(60)): \(answer)")
            }
            #expect(try await fixture.client(port).request("GET", "/").body == "in")
        }
    }

    @Test("Header fields of the configuration are on responses that have none of that name")
    func headers() async throws {
        let fixture = try await TLSFixture()
        let fields = ["Strict-Transport-Security": "max-age=1", "Content-Type": "text/odd"]
        let change: TLSFixture.Change = { $0.responseHeaders = fields }
        try await fixture.serving(TLSFixture.routes, change) { _, port in
            let response = try await fixture.client(port).request("GET", "/")
            #expect(response.header("Strict-Transport-Security") == "max-age=1")
            #expect(response.header("Content-Type") == "text/plain; charset=utf-8")
            #expect(try await fixture.client(port).request("GET", "/none").header("Strict-Transport-Security") != nil)
        }
    }

    @Test("A stream reaches its reader, and ends when the server stops")
    func streams() async throws {
        let fixture = try await TLSFixture()
        let stream = HTTPRoute.get("/stream") { _ in
            .stream(AsyncStream { continuation in continuation.yield(Array("begun".utf8)) })
        }
        var reader: TLSClient?
        try await fixture.serving([stream]) { _, port in
            let client = try await fixture.client(port)
            try await client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await client.read(until: "begun")
            reader = client
        }
        #expect(try await reader?.readToEnd().contains("begun") == true)
    }

    @Test("Clients that do not read large bodies do not block others")
    func unreadBodies() async throws {
        let fixture = try await TLSFixture()
        let bytes = 4 << 20
        let route = HTTPRoute.immediate("/large") { _ in HTTPResponse(body: [UInt8](repeating: 120, count: bytes)) }
        let change: TLSFixture.Change = { $0.maximumUnsentBytes = 4 * bytes }
        try await fixture.serving([route], change) { _, port in
            var deaf: [TLSClient] = []
            for _ in 0..<8 {
                let client = try await fixture.client(port)
                try await client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                deaf.append(client)
                var response = try await fixture.client(port).request("GET", "/large")
                while response.status == 503 { response = try await fixture.client(port).request("GET", "/large") }
                #expect(response.body.utf8.count == bytes)
            }
        }
    }

    @Test("Versions, cipher suites and curves of the configuration are what clients get")
    func negotiation() async throws {
        let fixture = try await TLSFixture()
        let change: TLSFixture.Change = { configuration in
            configuration.tls?.cipherSuites = ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"]
            configuration.tls?.curves = ["CurveP384"]
            configuration.tls?.maximumVersion = .tls12
        }
        try await fixture.serving(TLSFixture.routes, change) { _, port in
            let summary = try await fixture.client(port).summary
            #expect(summary == "(TLS1.2)-(ECDHE-SECP384R1)-(ECDSA-SHA256)-(AES-256-GCM)")
            for refused in ["NORMAL:-VERS-TLS1.2", "NORMAL:-AES-256-GCM", "NORMAL:-GROUP-SECP384R1"] {
                await #expect(throws: TLSClient.Failure.self) {
                    _ = try await fixture.client(port, priorities: refused)
                }
            }
        }
        #expect(fixture.events.entries == [.handshakeFailed, .handshakeFailed, .handshakeFailed])
    }
}

@Suite(
    "Certificates that change while the server runs",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct CertificateReloadTests {
    @Test("A new connection gets the new certificate, and an open one stays")
    func reload() async throws {
        let fixture = try await TLSFixture()
        try await fixture.certificates.issue("next", names: "DNS:localhost", usage: "serverAuth")
        try await fixture.serving { _, port in
            let open = try await fixture.client(port)
            #expect(try await open.request("GET", "/").body == "in")
            try fixture.certificates.replace("server", by: "next")
            let new = try await fixture.client(port)
            #expect(new.serverName == "next")
            #expect(try await new.request("GET", "/").body == "in")
            #expect(try await open.request("GET", "/").body == "in")
            #expect(open.serverName == "server")
        }
        // The key is replaced before the certificate. No handshake happened in between.
        #expect(fixture.events.entries.map(\.isReload) == [true])
    }

    @Test("Unusable new files are reported once each, the last good ones stay, and mended ones are used")
    func broken() async throws {
        let fixture = try await TLSFixture()
        try await fixture.certificates.issue("next", names: "DNS:localhost", usage: "serverAuth")
        let key = try String(contentsOfFile: fixture.certificates.path("server.key"), encoding: .utf8)
        try await fixture.serving { _, port in
            try fixture.certificates.write("nonsense", to: "server.key")
            for _ in 0..<3 { #expect(try await fixture.client(port).serverName == "server") }
            let reports = fixture.events.entries
            guard case .reloadFailed(let message) = try #require(reports.first), reports.count == 1 else {
                Issue.record("\(reports)")
                return
            }
            #expect(message.contains("server.key has no private key in PEM format"))
            try FileManager.default.removeItem(atPath: fixture.certificates.path("server.key"))
            #expect(try await fixture.client(port).serverName == "server")
            #expect(fixture.events.entries.count == 2)
            try fixture.certificates.write(key, to: "server.key")
            try fixture.certificates.replace("server", by: "next")
            #expect(try await fixture.client(port).serverName == "next")
            #expect(fixture.events.entries.last?.isReload == true)
        }
    }

    @Test(
        "One flipped bit of a file is reported once, with the file, or gives a pair that fits; the mended file is used",
        arguments: [["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"], ["rsa:2048"], ["ed25519"]]
    )
    func flipped(key: [String]) async throws {
        let fixture = try await TLSFixture()
        let names = ["server.pem", "server.key", "ca.pem"]
        try await fixture.certificates.openssl(
            ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-newkey"] + key
                + ["-keyout", fixture.certificates.path(names[1]), "-out", fixture.certificates.path(names[0])]
        )
        var tls = fixture.tls
        (tls.clientAuthentication, tls.clientAuthoritiesFile) = (.requireAndVerify, fixture.certificates.path(names[2]))
        let whole = try names.map { try Data(contentsOf: URL(filePath: fixture.certificates.path($0))) }
        let store = try CertificateStore(tls) { [events = fixture.events] in events.write($0) }
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let index = random.index(below: 3)
            var bytes = whole[index]
            bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            let path = fixture.certificates.path(names[index])
            let (former, count) = (store.loaded, fixture.events.entries.count)
            try bytes.write(to: URL(filePath: path), options: .atomic)
            for _ in 0..<3 { _ = store.current() }
            #expect(fixture.events.entries.count == count + 1, "seed \(seed), round \(round)")
            if case .reloadFailed(let message) = try #require(fixture.events.entries.last) {
                #expect(store.loaded === former && message.contains(path), "seed \(seed): \(message)")
                let error = #expect(throws: TLSProblem.self) { try tls.validate() }
                #expect(error?.message.contains(path) == true, "seed \(seed): \(error?.message ?? "")")
            }
            try whole[index].write(to: URL(filePath: path), options: .atomic)
            _ = store.current()
            #expect(fixture.events.entries.last?.isReload == true, "seed \(seed), round \(round)")
        }
    }

    @Test("A reload on demand tells whether the files can be used, and when the certificate expires")
    func demand() async throws {
        let fixture = try await TLSFixture()
        try await fixture.certificates.issue("next", names: "DNS:localhost", usage: "serverAuth", days: 40)
        try await fixture.serving { server, port in
            let expiry = try #require(server.certificateExpiry)
            try server.reloadCertificates()
            #expect(fixture.events.entries == [.certificatesReloaded(expiry: expiry)])
            try fixture.certificates.write("nonsense", to: "server.pem")
            let error = #expect(throws: HTTPServerError.self) { try server.reloadCertificates() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.hasPrefix("tls: the last good certificates stay in use: ") == true)
            #expect(error?.message.contains("server.pem has no certificate in PEM format") == true)
            // The handshake does not report the same files again.
            #expect(try await fixture.client(port).serverName == "server")
            #expect(fixture.events.entries.count == 2)
            #expect(server.certificateExpiry == expiry)
            try fixture.certificates.replace("server", by: "next")
            try server.reloadCertificates()
            #expect(try await fixture.client(port).serverName == "next")
            #expect(try #require(server.certificateExpiry) > expiry + 30 * 86_400)
            #expect(fixture.events.entries.count == 3)
        }
        let plain = try HTTPServer(routes: [])
        try plain.reloadCertificates()
        #expect(plain.certificateExpiry == nil)
    }
}

extension SecurityEvent {
    /// Whether new certificates are in use.
    fileprivate var isReload: Bool {
        if case .certificatesReloaded = self { true } else { false }
    }
}
