// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomPush
import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "Pushes over TLS",
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct TrustTests {
    /// A folder with an authority, a certificate for 127.0.0.1 and one for a client.
    private final class Certificates {
        private static let openssl = ExternalTool(
            installation: "openssl is missing: apt-get install openssl",
            path: ExternalTool.find("openssl")
        )

        let folder: URL

        init() async throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "axiom-trust-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try "subjectAltName=IP:127.0.0.1".write(toFile: path("names"), atomically: true, encoding: .utf8)
            try await run(
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=Test authority",
                "-keyout",
                path("ca.key"),
                "-out",
                path("ca.pem")
            )
            for name in ["server", "client"] {
                try await run(
                    "req",
                    "-newkey",
                    "ec",
                    "-pkeyopt",
                    "ec_paramgen_curve:prime256v1",
                    "-nodes",
                    "-subj",
                    "/CN=\(name)",
                    "-keyout",
                    path("\(name).key"),
                    "-out",
                    path("\(name).csr")
                )
                try await run(
                    "x509",
                    "-req",
                    "-in",
                    path("\(name).csr"),
                    "-CA",
                    path("ca.pem"),
                    "-CAkey",
                    path("ca.key"),
                    "-CAcreateserial",
                    "-days",
                    "2",
                    "-extfile",
                    path("names"),
                    "-out",
                    path("\(name).pem")
                )
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func path(_ name: String) -> String { folder.appending(path: name).path }

        private func run(_ arguments: String...) async throws {
            let output = try await Self.openssl.run(arguments)
            try #require(output.status == 0, "\(output.errors)")
        }
    }

    private static func push(_ endpoint: PushEndpoint) async throws {
        let registry = Registry()
        try registry.counter("a_total", help: "A.").increment()
        try await Pushgateway(endpoint, job: "tls").replace(with: registry.collect())
    }

    @Test(
        "The certificate and the name of the server are checked, and a client certificate is sent",
        .timeLimit(.minutes(10))
    )
    func trust() async throws {
        let files = try await Certificates()
        let receiver = try await Receiver(tls: [
            files.path("server.pem"), files.path("server.key"), files.path("ca.pem"),
        ])
        var endpoint = PushEndpoint(receiver.url(""))
        endpoint.clientCertificate = PushEndpoint.ClientCertificate(
            certificateFile: files.path("client.pem"),
            keyFile: files.path("client.key")
        )
        func code(_ change: (inout PushEndpoint) -> Void) async -> PushError.Code? {
            var changed = endpoint
            change(&changed)
            return await #expect(throws: PushError.self) { try await Self.push(changed) }?.code
        }
        // The system does not know this authority.
        #expect(await code { _ in } == .untrusted)
        endpoint.authorityFile = files.path("ca.pem")
        try await Self.push(endpoint)
        #expect(try await receiver.request().path == "/metrics/job/tls")
        // The certificate is for 127.0.0.1.
        #expect(await code { $0.url = receiver.url("", host: "localhost") } == .untrusted)
        #expect(await code { $0.authorityFile = files.path("client.pem") } == .untrusted)
        #expect(await code { $0.authorityFile = "/nonexistent/ca.pem" } == .untrusted)
        // With TLS 1.3 the server refuses a client without a certificate after the handshake.
        #expect([.untrusted, .unreachable].contains(await code { $0.clientCertificate = nil }))
    }
}
