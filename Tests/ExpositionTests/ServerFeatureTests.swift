// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import AxiomMetrics
import AxiomMetricsExporter
import AxiomTestSupport
import Foundation
import Testing

/// What the server does depends on its version, which the tests read. `Scripts/prometheus` fetches others than the installed one.
@Suite(
    "What each version of Prometheus does with a page",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
)
struct ServerFeaturePrometheusTests {
    /// The server, and the exporter that it scrapes in each job.
    private struct Scraped {
        let server: PrometheusServer
        let exporter: MetricsExporter

        /// - Parameter jobs: The settings of each job, in the flow style of YAML, by its name.
        init(
            _ registry: Registry,
            _ jobs: [String: String],
            createdSeries: Bool = false,
            features: [String] = []
        ) async throws {
            exporter = try MetricsExporter(
                registry: registry,
                configuration: HTTPServerConfiguration(port: 0),
                createdSeries: createdSeries
            )
            try exporter.start()
            let targets = "static_configs: [{targets: [\"127.0.0.1:\(try #require(exporter.port))\"]}]"
            let lines = jobs.map { "  - {job_name: \($0.key), \($0.value.isEmpty ? "" : "\($0.value), ")\(targets)}\n" }
            server = try await PrometheusServer(
                configuration: "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n\(lines.joined())",
                features: features
            )
            try await Loopback.wait(for: "a scrape in each job") { [server] in
                let targets = try await server.targets()
                try #require(targets.values.allSatisfy { $0.health != "down" }, "\(targets)")
                return targets.count == jobs.count && targets.values.allSatisfy { $0.health == "up" }
            }
        }

        /// The series of a query, as soon as there is one.
        func samples(_ query: String) async throws -> [PrometheusServer.Sample] {
            var found: [PrometheusServer.Sample] = []
            try await Loopback.wait(for: query) {
                found = try await server.samples(of: query)
                return !found.isEmpty
            }
            return found
        }
    }

    @Test(
        "It chooses the best format by itself, and the one that the configuration of a job names",
        arguments: ["by itself", "for native histograms", "as named"]
    )
    func negotiation(_ way: String) async throws {
        let named = [
            "text": "PrometheusText0.0.4", "openmetrics": "OpenMetricsText1.0.0", "protobuf": "PrometheusProto",
        ]
        var formats: Set = [way == "by itself" ? "openmetrics" : "protobuf"]
        var jobs = ["plain": ""]
        if way == "as named" {
            guard try await PrometheusVersion.installed() >= .scrapeProtocols else { return }
            formats = Set(named.keys)
            jobs = named.mapValues { "scrape_protocols: [\($0)]" }
        }
        let registry = Registry()
        let scraped = try await Scraped(
            registry,
            jobs,
            features: way == "for native histograms" ? ["native-histograms"] : []
        )
        // The exporter counts its pages by format: only these have any.
        let page = registry.collect()
        for format in named.keys {
            let pages = page.value("axiom_exporter_scrapes_total", ["format": format, "code": "200"]) ?? 0
            #expect((pages > 0) == formats.contains(format), "\(format)")
        }
        await scraped.exporter.stop()
    }

    /// How a scheme shows `shop.visits_total` and its label `user.kind`.
    private static let escaped = [
        "allow-utf-8": ("shop.visits_total", "user.kind"),
        "underscores": ("shop_visits_total", "user_kind"),
        "dots": ("shop_dot_visits__total", "user_dot_kind"),
        "values": ("U__shop_2e_visits__total", "U__user_2e_kind"),
    ]

    @Test(
        "It stores names in UTF-8, or as the escaping scheme of the job changes them, and of protocol buffers with underscores",
        arguments: [false, true]
    )
    func names(isNative: Bool) async throws {
        let version = try await PrometheusVersion.installed()
        let registry = Registry()
        let utf8 = MetricOptions(names: .utf8)
        try registry.counters("shop.visits_total", help: "V.", labels: Label<String>("user.kind"), options: utf8)("é")
            .increment(by: 7)
        let named = version >= .escapingScheme ? Self.escaped : [:]
        var jobs = named.keys.reduce(into: ["default": ""]) { $0[$1] = "metric_name_escaping_scheme: \($1)" }
        if version >= .names {
            let scheme = version >= .escapingScheme ? ", metric_name_escaping_scheme: underscores" : ""
            jobs["legacy"] = "metric_name_validation_scheme: legacy\(scheme)"
        }
        let scraped = try await Scraped(registry, jobs, features: isNative ? ["native-histograms"] : [])
        for job in jobs.keys {
            // No version asks for another scheme when it asks for protocol buffers.
            let isNamed = version >= .names && !isNative
            let scheme = !isNamed || job == "legacy" ? "underscores" : job == "default" ? "allow-utf-8" : job
            let (name, label) = try #require(Self.escaped[scheme])
            let found = try await scraped.samples("{job=\"\(job)\",__name__=~\".*shop.*\"}")
            #expect(found.map { $0.labels["__name__"] } == [name] && found.map(\.value) == [7], "\(job)")
            #expect(found.map { $0.labels[label] } == ["é"], "\(job)")
        }
        await scraped.exporter.stop()
    }

    @Test(
        "With the feature, a counter begins at 0 when it was created",
        arguments: ["OpenMetricsText1.0.0", "PrometheusProto"]
    )
    func startTimestamps(_ format: String) async throws {
        let version = try await PrometheusVersion.installed()
        let registry = Registry()
        try registry.counter("visits_total", help: "V.").increment(by: 5)
        let scraped = try await Scraped(
            registry,
            ["plain": version >= .scrapeProtocols ? "scrape_protocols: [\(format)]" : ""],
            createdSeries: true,
            features: ["created-timestamp-zero-ingestion"]
        )
        let least = try await scraped.samples("min_over_time(visits_total[5m])").first?.value
        let since = format == "PrometheusProto" ? PrometheusVersion.startTimestamps : .startTimestampsOfText
        #expect(least == (version >= since ? 0 : 5))
        await scraped.exporter.stop()
    }

    @Test(
        "It stores exemplars of native histograms: from 3.3 on only those of the first series, without the classic ones"
    )
    func exemplars() async throws {
        let version = try await PrometheusVersion.installed()
        let registry = Registry()
        let waits = try registry.exponentialHistograms(
            "wait_seconds",
            help: "W.",
            labels: Label<String>("a"),
            buckets: [1]
        )
        for name in ["x", "y", "z"] { waits(name).observe(0.5, exemplar: ["trace_id": name]) }
        var jobs = ["plain": ""]
        if version >= .names { jobs["both"] = "always_scrape_classic_histograms: true" }
        let scraped = try await Scraped(registry, jobs, features: ["native-histograms", "exemplar-storage"])
        for job in jobs.keys {
            _ = try await scraped.samples("wait_seconds{job=\"\(job)\"}")
            let found = try await scraped.server.exemplars(of: "wait_seconds{job=\"\(job)\"}")
            let isWhole = version < .lostExemplars || job == "both"
            #expect(Set(found.map { $0.labels["trace_id"] }) == (isWhole ? ["x", "y", "z"] : ["x"]), "\(job)")
        }
        await scraped.exporter.stop()
    }
}
