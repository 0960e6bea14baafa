// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import AxiomMetrics
import AxiomMetricsExporter
import AxiomTestSupport
import Foundation
import Testing

/// `axiom-dashboard prometheus`, and what it says of a server.
private struct ServerCheck {
    struct Finding: Decodable {
        let check: String
        let state: String
        let text: String
    }

    let status: Int32
    let output: String
    let findings: [String: Finding]

    init(_ arguments: [String]) async throws {
        let program = try BuildFolder().url.appending(path: "axiom-dashboard").path
        let run = try await Command.run(program, ["prometheus", "--timeout", "120"] + arguments)
        status = run.status
        output = run.output + run.errors
        let found =
            arguments.contains("--json") && status < 2
            ? try JSONDecoder().decode([Finding].self, from: Data(run.output.utf8)) : []
        findings = Dictionary(uniqueKeysWithValues: found.map { ($0.check, $0) })
    }

    func state(_ check: String) -> String { findings[check]?.state ?? "absent" }
    func text(_ check: String) -> String { findings[check]?.text ?? "" }
}

@Suite(
    "axiom-dashboard prometheus: a real server",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
)
struct PrometheusCheckTests {
    /// Some builds have no receiver for OTLP, such as Debian's, and then no option for it.
    private static func hasReceiver() async throws -> Bool {
        let help = try await ExternalTool.prometheus.run(["--help"])
        return (help.output + help.errors).contains("web.enable-otlp-receiver")
    }

    private static let rules = ["axiom.recording.yml", "axiom.fleet.yml", "axiom.alerts.yml"]

    @Test("Of a server with the defaults it says what to set, for its version")
    func defaults() async throws {
        let version = try await PrometheusVersion.installed()
        let server = try await PrometheusServer(configuration: "global: {scrape_interval: 1m}\n")
        let check = try await ServerCheck([server.url, "--json"])
        #expect(check.status == 1, "\(check.output)")
        #expect(check.state("version") == "ok" && check.text("version").hasPrefix("\(version)."))
        for name in [
            "target", "rules", "native-histograms", "exemplars", "start-timestamps", "remote-write", "otlp",
            "out-of-order",
        ] {
            #expect(check.state(name) == "missing", "\(check.output)")
        }
        #expect(check.state("interval") == "unknown")
        let native =
            version >= .nativeByConfiguration ? "scrape_native_histograms: true" : "--enable-feature=native-histograms"
        #expect(check.text("native-histograms").contains(native))
        let receiver =
            version < .otlp
            ? "update to 2.47 or later"
            : version < .names
                ? "start the server with --enable-feature=otlp-write-receiver"
                : try await Self.hasReceiver()
                    ? "start the server with --web.enable-otlp-receiver"
                    : "this build of Prometheus has no OTLP receiver: take one of the Prometheus project"
        #expect(check.text("otlp") == receiver)
        let lines = try await ServerCheck([server.url])
        #expect(lines.status == 1 && lines.output.split(separator: "\n").count == check.findings.count)
        #expect(lines.output.contains("\nmissing  target             scrape the application in a job axiom"))
        #expect(
            lines.output.contains("\nmissing  exemplars          (optional) start the server with --enable-feature=")
        )
        #expect(try await ServerCheck([server.url, "--require", "version", "interval"]).status == 0)
    }

    @Test("Of a server with everything it says that nothing is missing but what a newer version has")
    func whole() async throws {
        let version = try await PrometheusVersion.installed()
        let exporter = try MetricsExporter(registry: Registry(), configuration: HTTPServerConfiguration(port: 0))
        try exporter.start()
        let files = try Self.rules.map { name in
            let file = Repository.root.appending(path: "Dashboards/prometheus/\(name)")
            return (name, try String(contentsOf: file, encoding: .utf8))
        }
        let hasReceiver = try await Self.hasReceiver()
        let server = try await PrometheusServer(
            configuration: """
                global: {scrape_interval: 2s, scrape_timeout: 1s, evaluation_interval: 1s}
                rule_files: ["axiom.*.yml"]
                scrape_configs: [{job_name: shop, static_configs: [{targets: ["127.0.0.1:\(try #require(exporter.port))"]}]}]
                storage: {tsdb: {out_of_order_time_window: 10m}}
                """,
            features: [
                "native-histograms", "exemplar-storage", "created-timestamp-zero-ingestion", "otlp-write-receiver",
            ],
            options: ["--web.enable-remote-write-receiver"] + (hasReceiver ? ["--web.enable-otlp-receiver"] : []),
            files: Dictionary(uniqueKeysWithValues: files)
        )
        var check = try await ServerCheck([server.url, "--json", "--job", "shop"])
        try await Loopback.wait(for: "a scrape, and an evaluation of the rules") {
            check = try await ServerCheck([server.url, "--json", "--job", "shop"])
            return check.state("target") == "ok" && check.state("rules") == "ok"
        }
        let receives = version >= .names ? hasReceiver : version >= .otlp
        let newer = ["start-timestamps": version >= .startTimestamps, "otlp": receives]
        for (name, finding) in check.findings {
            let isThere = newer[name] ?? true
            #expect(finding.state == (isThere ? "ok" : "missing"), "\(name): \(finding.text)")
        }
        #expect(check.status == 0 && check.text("target") == "1 of the job shop")
        #expect(check.text("interval").hasPrefix("2 s; the shortest window of the rules is "))
        #expect(check.text("out-of-order") == "10m")
        #expect(check.text("exemplars").contains("always_scrape_classic") == (version >= .lostExemplars))
        await exporter.stop()
        try await Loopback.wait(for: "a target that is down") {
            check = try await ServerCheck([server.url, "--json", "--job", "shop"])
            return check.state("target") == "missing"
        }
        #expect(check.status == 1 && check.text("target").contains("1 of 1 targets of the job shop are down: http"))
    }
}

/// Servers that no test can start, as the documents of Prometheus describe them: `docs/querying/api.md`,
/// `docs/configuration/configuration.md`, and the change log.
@Suite(
    "axiom-dashboard prometheus: a server of 3.8 to 3.14 as documented, and what is no server",
    .timeLimit(.minutes(10))
)
struct PrometheusStandInTests {
    /// The data of each document, by its path.
    private static func documents(
        _ version: String,
        flags: [String: String] = [:],
        native: Bool? = nil,
        job: String = "",
        global: String = "",
        features: String? = nil
    ) -> [String: String] {
        let setting = native.map { "\\n  scrape_native_histograms: \($0)" } ?? ""
        let named = flags.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        var found = [
            "status/buildinfo": "{\"version\":\"\(version)\"}",
            "status/flags": "{\(named)}",
            "status/config":
                "{\"yaml\":\"global:\\n  scrape_interval: 15s\(setting)\(global)\\nscrape_configs:\\n- job_name: other\\n  scrape_native_histograms: true\\n- job_name: axiom\\n  scrape_interval: 15s\(job)\(setting)\\n  static_configs:\\n  - targets:\\n    - h:1\\n\"}",
            "targets": """
            {"activeTargets":[{"labels":{"job":"axiom"},"scrapeUrl":"http://h:1/metrics","health":"up","lastError":"",\
            "scrapeInterval":"1m30s"},{"labels":{"job":"other"},"scrapeUrl":"u","health":"down","lastError":"x"}]}
            """,
            "rules": """
            {"groups":[{"name":"axiom-error-budget","rules":[{"name":"r","query":"rate(a[5m]) + rate(b[2m:10s])",\
            "health":"ok"}]},{"name":"axiom-instances","rules":[]},{"name":"axiom-burn-rates","rules":[]}]}
            """,
        ]
        if let features { found["features"] = features }
        return found
    }

    /// What the command says of a server with these documents.
    private func check(
        _ documents: [String: String],
        _ options: [String] = [],
        token: String? = nil,
        refusing: String? = nil,
        suffix: String = ""
    ) async throws -> ServerCheck {
        let routes = documents.map { path, data in
            HTTPRoute.immediate("/prometheus/api/v1/\(path)") { request in
                let isKnown = request.headers["Authorization"] == "Bearer \(token ?? "")" || token == nil
                let isAllowed = isKnown && path != refusing
                let body = "{\"status\":\"success\",\"data\":\(data)}"
                return HTTPResponse(
                    status: isAllowed ? .ok : .forbidden,
                    headers: ["Content-Type": "application/json"],
                    body: Array(body.utf8)
                )
            }
        }
        let server = try HTTPServer(
            configuration: HTTPServerConfiguration(port: 0),
            routes: routes,
            onFailure: { Issue.record("\($0.path) failed: \($0.error)") }
        )
        try server.start()
        let port = try #require(server.port)
        let check = try await ServerCheck(["http://127.0.0.1:\(port)/prometheus\(suffix)", "--json"] + options)
        await server.stop()
        return check
    }

    @Test(
        "3.8 takes the flag, which changes the default of the configuration; from 3.9 on only the configuration counts",
        arguments: [
            ("3.8.0", true), ("3.8.1", false), ("3.9.0", true), ("3.14.0", true), ("3.14.0", false), ("3.14.0", nil),
        ]
    )
    func native(_ version: String, _ native: Bool?) async throws {
        let flags = ["enable-feature": "exemplar-storage,native-histograms"]
        let found = try await check(Self.documents(version, flags: flags, native: native))
        #expect(found.state("native-histograms") == (native == true ? "ok" : "missing"))
        if native != true {
            let text = found.text("native-histograms")
            #expect(text.contains("set scrape_native_histograms: true in the job axiom"))
            #expect(text.contains("does nothing") == !version.hasPrefix("3.8"))
        }
    }

    @Test("A job whose protocols leave out protocol buffers gets no native histograms")
    func protocols() async throws {
        let text = "\\n  scrape_protocols:\\n  - PrometheusText0.0.4"
        let without = try await check(Self.documents("3.14.0", native: true, job: text))
        #expect(without.text("native-histograms") == "add PrometheusProto to scrape_protocols of the job axiom")
        let with = try await check(Self.documents("3.14.0", native: true, job: text + "\\n  - PrometheusProto"))
        #expect(with.state("native-histograms") == "ok")
    }

    @Test("The list of the job decides about protocol buffers, and not that of all", arguments: ["2.53.0", "3.14.0"])
    func ownProtocols(_ version: String) async throws {
        let (proto, text) = (
            "\\n  scrape_protocols:\\n  - PrometheusProto", "\\n  scrape_protocols:\\n  - OpenMetricsText1.0.0"
        )
        for (job, global, state) in [
            (text, proto, "missing"), (proto, text, "ok"), ("", text, "missing"), ("", proto, "ok"),
        ] {
            let flags = ["enable-feature": "native-histograms"]
            let found = try await check(
                Self.documents(version, flags: flags, native: true, job: job, global: global)
            )
            #expect(found.state("native-histograms") == state, "\(job), of all \(global): \(found.output)")
        }
    }

    @Test("What a job sets that is in another file is unknown, unless the setting of all decides")
    func otherFile() async throws {
        for (native, state) in [(nil, "unknown"), (false, "unknown"), (true, "ok")] {
            var documents = Self.documents("3.14.0", native: native)
            documents["status/config"] = documents["status/config"]?
                .replacing("- job_name: axiom", with: "- job_name: another")
                .replacing("scrape_configs:", with: "scrape_config_files:\\n- more.yml\\nscrape_configs:")
            let found = try await check(documents)
            #expect(found.state("native-histograms") == state, "\(found.output)")
        }
    }

    @Test(
        "Before 3.0 a feature starts the receiver of remote write, too",
        arguments: [("2.53.0", "ok"), ("3.0.0", "missing")]
    )
    func receiver(_ version: String, _ state: String) async throws {
        let flags = ["enable-feature": "exemplar-storage,remote-write-receiver"]
        #expect(try await check(Self.documents(version, flags: flags)).state("remote-write") == state)
    }

    @Test("The features of 3.9 and later decide, and one that is absent is off", arguments: ["3.9.0", "3.14.0"])
    func features(_ version: String) async throws {
        let flags = [
            "enable-feature": "exemplar-storage", "web.enable-remote-write-receiver": "true",
            "web.enable-otlp-receiver": "false",
        ]
        let features = """
            {"api":{"otlp_write_receiver":true},"scrape":{"start_timestamp_zero_ingestion":true},
            "tsdb":{"exemplar_storage":true,"native_histograms":true,"new":false},"later":{}}
            """
        let found = try await check(Self.documents(version, flags: flags, features: features))
        for name in ["exemplars", "start-timestamps", "otlp"] {
            #expect(found.state(name) == "ok", "\(name): \(found.output)")
        }
        #expect(found.state("remote-write") == "missing")
        let stored = try await check(Self.documents(version, features: #"{"tsdb":{"st_storage":true}}"#))
        #expect(stored.state("start-timestamps") == "ok" && stored.state("exemplars") == "missing")
    }

    @Test("Scrapes must be four times as frequent as the shortest window of the rules")
    func interval() async throws {
        let found = try await check(Self.documents("3.14.0"))
        #expect(found.status == 1 && found.state("target") == "ok" && found.state("rules") == "ok", "\(found.output)")
        #expect(
            found.text("interval")
                == "90 s; the shortest window of the rules is 120 s: set scrape_interval of the job axiom to 30 s or less"
        )
        #expect(try await check(Self.documents("3.14.0"), ["--require", "target"]).status == 0)
        // 2^62 seconds, and more than a number of 64 bits.
        for (interval, state) in [("4611686018427387904s", "missing"), ("9223372036854775807y", "unknown")] {
            var documents = Self.documents("3.14.0")
            documents["targets"] = documents["targets"]?.replacing("1m30s", with: interval)
            #expect(try await check(documents).state("interval") == state)
        }
    }

    @Test("Rules that are missing or fail are named, and what a server does not tell is unknown")
    func partial() async throws {
        var documents = Self.documents("3.14.0")
        documents["rules"] = #"{"groups":[{"name":"axiom-burn-rates","rules":[]}]}"#
        #expect(
            try await check(documents).text("rules")
                == "copy axiom.recording.yml, axiom.fleet.yml beside the configuration, and add it to rule_files"
        )
        documents["rules"] = Self.documents("3.14.0")["rules"]?
            .replacing("\"health\":\"ok\"", with: "\"health\":\"err\",\"lastError\":\"no memory\"")
        #expect(try await check(documents).text("rules") == "r fails: no memory")
        let least = try await check(["status/buildinfo": #"{"version":"3.14.0"}"#])
        #expect(least.status == 0 && least.findings.values.count { $0.state == "unknown" } == least.findings.count - 1)
        let old = try await check(["status/buildinfo": #"{"version":"2.20.1"}"#])
        #expect(old.status == 1 && old.text("version") == "2.20.1: update to 2.42 or later")
        #expect(old.text("native-histograms") == "update to 2.40 or later")
    }

    @Test("A server that wants a token gets it, and what is no server is refused with the remedy")
    func refused() async throws {
        let documents = Self.documents("3.14.0")
        let without = try await check(documents, token: "t0ken")
        #expect(without.status == 2 && without.output.contains("with the status 403: give its --token."))
        #expect(try await check(documents, ["--token", "t0ken"], token: "t0ken").status == 1)
        let partly = try await check(documents, refusing: "status/config")
        #expect(partly.state("version") == "ok" && partly.text("out-of-order") == "the server does not tell")
        for documents in [[:], ["status/buildinfo": #"{"version":"nightly"}"#], ["status/buildinfo": "[]"]] {
            let other = try await check(documents)
            #expect(
                other.status == 2 && other.output.contains("give the address of a Prometheus server."),
                "\(other.output)"
            )
        }
        let absent = try await ServerCheck(["http://127.0.0.1:1"])
        #expect(absent.status == 2 && absent.output.contains("does not answer"))
    }

    @Test("An address may have a slash, a query and a fragment; no message has its password or its query")
    func addresses() async throws {
        for suffix in ["/", "?key=s3cret", "/?key=s3cret", "/#x=1"] {
            #expect(try await check(Self.documents("3.14.0"), suffix: suffix).state("version") == "ok", "\(suffix)")
        }
        let refused = try await check(Self.documents("3.14.0"), token: "t0ken", suffix: "/?key=s3cret")
        #expect(
            refused.output.contains("/prometheus/ answered") && !refused.output.contains("s3cret"),
            "\(refused.output)"
        )
        for (address, shown) in [
            ("http://me:s3cret@127.0.0.1:1/a?key=s3cret", "Error: http://127.0.0.1:1/a does not answer"),
            ("http://me:s3cret@h:port", "Error: h:port is no address"), ("me:s3cret@h:1", "Error: h:1 is no address"),
        ] {
            let check = try await ServerCheck([address])
            #expect(check.output.contains(shown) && !check.output.contains("s3cret"), "\(check.output)")
        }
    }

    @Test(
        "Wrong arguments end with 64 and the remedy",
        arguments: [
            (["127.0.0.1:9090"], "give one such as http://127.0.0.1:9090"),
            (["http://h", "--timeout", "0"], "1 to 600"),
            (["http://h", "--require", "alerts"], "native-histograms"), ([], "Missing expected argument '<URL>'"),
        ]
    )
    func wrong(_ arguments: [String], _ remedy: String) async throws {
        let check = try await ServerCheck(arguments)
        #expect(check.status == 64 && check.output.contains(remedy), "\(check.output)")
    }
}
