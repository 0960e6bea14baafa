// SPDX-License-Identifier: Apache-2.0

import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import AxiomWebConfiguration
import Foundation
import Testing

/// Exporters whose options come from `web.yml`, scraped by Prometheus as an operator would configure it.
@Suite(
    "A real Prometheus and exporters with TLS and credentials",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct SecurePrometheusTests {
    /// The hash of "geheim".
    private static let hash = "$2b$04$w2qEGbyomPTjabiAC8MkQ.jVA1FXB7WAL6w1Q1XA/S4Bli33Ai8E2"
    private static let token = "0123456789abcdef0123456789abcdef"

    /// One way to protect an exporter, and the scrape configurations that are served and refused.
    private struct Protection {
        let name: String
        /// Sections of `web.yml` beside the certificate.
        let web: String
        /// The configuration of each job, indented under the job.
        let good: String
        /// The configuration of jobs that must fail, with the beginning of Prometheus's error.
        let bad: [(configuration: String, error: String)]
    }

    private static let tls = "    tls_config: {ca_file: ca.pem"

    private static let protections = [
        Protection(
            name: "server",
            web: "",
            good: tls + "}\n",
            bad: [
                ("    tls_config: {ca_file: other.pem}\n", "certificate signed by unknown authority"),
                ("", "certificate"),
            ]
        ),
        Protection(
            name: "client",
            web:
                "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n  client_allowed_sans: [scraper]\n",
            good: tls + ", cert_file: scraper.pem, key_file: scraper.key}\n",
            bad: [
                (tls + "}\n", "EOF"),
                (tls + ", cert_file: foreign.pem, key_file: foreign.key}\n", "tls: bad certificate"),
                (tls + ", cert_file: stranger.pem, key_file: stranger.key}\n", "tls: bad certificate"),
            ]
        ),
        Protection(
            name: "basic",
            web: "basic_auth_users:\n  prometheus: \(hash)\n",
            good: tls + "}\n    basic_auth: {username: prometheus, password: geheim}\n",
            bad: [
                (tls + "}\n", "server returned HTTP status 401"),
                (
                    tls + "}\n    basic_auth: {username: prometheus, password: wrong}\n",
                    "server returned HTTP status 401"
                ),
                (tls + "}\n    basic_auth: {username: admin, password: geheim}\n", "server returned HTTP status 401"),
            ]
        ),
        Protection(
            name: "both",
            web: "  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.pem\n"
                + "basic_auth_users:\n  prometheus: \(hash)\n",
            good: tls + ", cert_file: scraper.pem, key_file: scraper.key}\n"
                + "    basic_auth: {username: prometheus, password: geheim}\n",
            bad: [
                (tls + ", cert_file: scraper.pem, key_file: scraper.key}\n", "server returned HTTP status 401"),
                (tls + "}\n    basic_auth: {username: prometheus, password: geheim}\n", "EOF"),
            ]
        ),
        Protection(
            name: "bearer",
            web: "axiom:\n  scrape_token: \(token)\n",
            good: tls + "}\n    authorization: {credentials: \(token)}\n",
            bad: [(tls + "}\n    authorization: {credentials: 0123456789abcdef}\n", "server returned HTTP status 401")]
        ),
    ]

    private static func makeCertificates() async throws -> TestCertificates {
        let certificates = try await TestCertificates()
        try await certificates.makeAuthority("other")
        try await certificates.issue("scraper", names: "DNS:scraper", usage: "clientAuth")
        try await certificates.issue("stranger", names: "DNS:stranger", usage: "clientAuth")
        try await certificates.issue("foreign", names: "DNS:scraper", usage: "clientAuth", by: "other")
        return certificates
    }

    private static func makeExporter(_ protection: Protection, _ certificates: TestCertificates) throws -> Exporter {
        let text = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n" + protection.web
        var configuration = HTTPServerConfiguration(port: 0)
        configuration.apply(
            try WebConfiguration(file: try certificates.write(text, to: "\(protection.name).yml"))
        )
        let telemetry = try Telemetry()
        _ = try telemetry.registry.gauge("protected", help: "Is 0.")
        return try Exporter(telemetry: telemetry, configuration: configuration, onFailure: { _ in })
    }

    @Test("It scrapes with each kind of credentials, and is refused with wrong ones")
    func kinds() async throws {
        let certificates = try await Self.makeCertificates()
        var (jobs, errors, exporters): (String, [String: String], [Exporter]) = ("", [:], [])
        for protection in Self.protections {
            let exporter = try Self.makeExporter(protection, certificates)
            try exporter.start()
            exporters.append(exporter)
            let port = try #require(exporter.port)
            func add(_ name: String, _ configuration: String) {
                jobs += "  - job_name: \(name)\n    scheme: https\n\(configuration)"
                jobs += "    static_configs: [{targets: [\"localhost:\(port)\"]}]\n"
            }
            add(protection.name, protection.good)
            for (index, bad) in protection.bad.enumerated() {
                add("\(protection.name)-bad\(index)", bad.configuration)
                errors["\(protection.name)-bad\(index)"] = bad.error
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: certificates.folder.path)
        let files = Dictionary(
            uniqueKeysWithValues: try names.filter { $0.hasSuffix(".pem") || $0.hasSuffix(".key") }.map {
                ($0, try String(contentsOfFile: certificates.path($0), encoding: .utf8))
            }
        )
        let prometheus = try await PrometheusServer(
            configuration: "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n\(jobs)",
            files: files
        )
        let count = Self.protections.count + errors.count
        // On a busy machine a scrape may end after its limit of time; a later one is refused.
        try await Loopback.wait(for: "all scrapes, and the reasons of those that are refused") {
            let targets = try await prometheus.targets()
            return targets.count == count
                && targets.allSatisfy { job, target in
                    guard let error = errors[job] else { return target.health == "up" }
                    // A client that still sends may see that the connection was closed before the alert that explains it.
                    let closed = ["connection reset", "broken pipe", "server closed idle connection"]
                    let causes = error.hasPrefix("server") ? [error] : [error] + closed
                    return target.health == "down" && causes.contains(where: target.error.contains)
                }
        }
        for job in errors.keys {
            #expect(try await prometheus.value(of: "protected{job=\"\(job)\"}") == nil)
        }
        for protection in Self.protections {
            try await Loopback.wait(for: protection.name) {
                try await prometheus.value(of: "protected{job=\"\(protection.name)\"}") == 0
            }
        }
        // The scrape that was refused may have come after the one that has the count.
        try await Loopback.wait(for: "refusals on the page") {
            let series = "axiom_exporter_clients_refused_total{job=\"basic\",reason=\"credentials\"}"
            return try await prometheus.value(of: "sum by (job) (\(series))") ?? 0 > 0
        }
        for exporter in exporters { await exporter.stop() }
    }

    @Test("curl reads the dashboard and its stream over TLS with a password, and nothing without")
    func dashboard() async throws {
        let certificates = try await Self.makeCertificates()
        let exporter = try Self.makeExporter(Self.protections[2], certificates)
        try exporter.start()
        let address = "https://localhost:\(try #require(exporter.port))"
        func curl(_ path: String, _ options: String...) async throws -> Command.Output {
            try await ExternalTool.curl.run(
                ["--silent", "--show-error", "--fail", "--max-time", "60", "--cacert", certificates.path("ca.pem")]
                    + options + [address + path]
            )
        }
        #expect(try await curl("/", "-u", "prometheus:geheim").output.contains("<html"))
        #expect(try await curl("/api/snapshot", "-u", "prometheus:geheim").output.hasPrefix("{"))
        let stream = try await ExternalTool.curl.run([
            "--silent", "--max-time", "4", "--cacert", certificates.path("ca.pem"), "-u", "prometheus:geheim",
            address + "/api/stream",
        ])
        #expect(stream.output.contains("event:") || stream.output.contains("data:"), "\(stream)")
        for path in ["/", "/api/snapshot", "/api/stream", "/metrics", "/healthz"] {
            let refused = try await curl(path)
            #expect(refused.status == 22 && refused.errors.contains("401"), "\(path): \(refused)")
        }
        let plain = try await ExternalTool.curl.run([
            "--silent", "--show-error", "http\(address.dropFirst(5))/metrics", "-i",
        ])
        #expect(plain.output.hasPrefix("HTTP/1.1 400 Bad Request"), "\(plain)")
        await exporter.stop()
    }
}
