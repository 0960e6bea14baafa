// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "The files of dashboards and rules",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation)),
    .enabled(if: ExternalTool.promtool.mayRun, Comment(rawValue: ExternalTool.promtool.installation))
)
struct RuleFileTests {
    private static let dashboards = RuleCheck.files("grafana", ".json")
    private static let rules = RuleCheck.files("prometheus", ".yml").filter { $0.contains("/axiom.") }
    private static let cases = RuleCheck.files("prometheus/tests", ".test.yml").map {
        URL(filePath: $0).lastPathComponent
    }

    @Test("They are the output of Dashboards/generate")
    func drift() async throws {
        expectEmpty(try await RuleCheck.python(RuleCheck.dashboards.appending(path: "generate"), ["--check"]))
    }

    @Test("No dashboard breaks one of the 17 rules of Grafana's linter")
    func linter() async throws {
        #expect(Self.dashboards.count == 4)
        expectEmpty(try await RuleCheck.findings("grafana_linter.py", Self.dashboards))
    }

    @Test("Each of the 17 rules finds its planted fault")
    func plantedFaults() async throws {
        expectEmpty(try await RuleCheck.findings("grafana_linter.py", ["--self-test"] + Self.dashboards.prefix(1)))
    }

    @Test("promtool finds no problem in the rules")
    func lint() async throws {
        #expect(Self.rules.count == 3)
        expectEmpty(try await RuleCheck.promtool(["check", "rules", "--lint=all", "--lint-fatal"] + Self.rules))
    }

    @Test("promtool accepts the sample configuration, with its rules and its targets")
    func configuration() async throws {
        let file = RuleCheck.dashboards.appending(path: "prometheus/prometheus.yml").path
        expectEmpty(try await RuleCheck.promtool(["check", "config", file]))
    }

    @Test(
        "The line of the sample configuration for native histograms is for Prometheus 3.8 and later; older ones refuse it"
    )
    func nativeConfiguration() async throws {
        let folder = RuleCheck.dashboards.appending(path: "prometheus")
        let sample = try String(contentsOf: folder.appending(path: "prometheus.yml"), encoding: .utf8)
        let file = FileManager.default.temporaryDirectory.appending(path: "axiom-native-\(UUID().uuidString).yml")
        try sample.replacing("  # scrape_native_histograms: true", with: "  scrape_native_histograms: true")
            .replacing("- axiom.", with: "- \(folder.path)/axiom.")
            .write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try await RuleCheck.promtool(["check", "config", file.path])
        let isKnown = try await PrometheusVersion.installed() >= .nativeByConfiguration
        #expect(isKnown ? output.isEmpty : output.contains("scrape_native_histograms not found"), "\(output)")
    }

    @Test("promtool's cases pass: rules record, and alerts fire, stay silent and resolve", arguments: cases)
    func rulesObeyCases(_ file: String) async throws {
        let path = RuleCheck.dashboards.appending(path: "prometheus/tests/\(file)").path
        expectEmpty(try await RuleCheck.promtool(["test", "rules", path]))
    }

    @Test(
        "They pass in each form that a server may have of a histogram: native, both, mixed, and while a user moves",
        .enabled(if: ExternalTool.nativePromtool.mayRun, Comment(rawValue: ExternalTool.nativePromtool.installation))
    )
    func histogramForms() async throws {
        let path = RuleCheck.dashboards.appending(path: "prometheus/tests/histograms.native.yml").path
        expectEmpty(try await RuleCheck.promtool(["test", "rules", path], with: .nativePromtool))
    }

    @Test("Rules that Scripts/soak makes faster count the same, whenever a run starts")
    func faster() async throws {
        expectEmpty(try await RuleCheck.findings("faster_rules.py"))
    }

    @Test("Every alert has its four cases, its texts and its runbook, and every recording rule has a tested value")
    func coverage() async throws {
        #expect(Self.cases.count == 4)
        expectEmpty(try await RuleCheck.findings("coverage.py"))
    }

    @Test("The example for Alertmanager names alerts that exist, and leaves one alert of each outage")
    func alertmanager() async throws {
        expectEmpty(try await RuleCheck.findings("alertmanager.py"))
    }

    @Test(
        "With a base URL, alerts and panels link to the runbooks; without one, the file says how to get it",
        arguments: [
            (option: "--repository", url: "https://git.example.org/axiom", folder: "/Documentation/runbooks"),
            (option: "--runbooks", url: "https://runbooks.example.org:8443/axiom/", folder: ""),
            (option: "--runbooks", url: "http://wiki/a%20b", folder: ""),
        ]
    )
    func runbookLinks(_ base: (option: String, url: String, folder: String)) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-links-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        expectEmpty(try await generate([base.option, base.url, "--into", folder.path]))
        let start = base.url.hasSuffix("/") ? String(base.url.dropLast()) : base.url
        let link = "\(start)\(base.folder)/axiom-circuit-open.md"
        let linking = [
            "prometheus/axiom.alerts.yml", "kubernetes/prometheus-rule.yml", "grafana/circuits-and-budgets.json",
        ]
        for file in linking {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            #expect(text.contains("\"\(link)\""), "\(file)")
            #expect(!text.contains("runbook_url: Documentation"), "\(file)")
        }
        let alerts = RuleCheck.dashboards.appending(path: "prometheus/axiom.alerts.yml")
        #expect(try String(contentsOf: alerts, encoding: .utf8).contains(base.option))
    }

    @Test(
        "A wrong option of the generator is refused, with what to give, and nothing is written",
        arguments: [
            (["--repository", "here"], "give a URL that begins with https:// or http://"),
            (["--runbooks", "runbooks.example.org/axiom"], "give a URL that begins with https:// or http://"),
            (["--runbooks", ""], "give a URL that begins with https:// or http://"),
            (["--runbooks", "ftp://example.org/"], "give a URL that begins with https:// or http://"),
            (["--runbooks", "https:///axiom"], "and a host"),
            (["--runbooks", "https://example.org:port/"], "is not a URL"),
            (["--runbooks", "https://example.org/a b"], "without blanks"),
            (["--runbooks", "https://example.org/\"x"], "without blanks, quotation marks"),
            (["--runbooks", "https://example.org/?page="], "without ? and #"),
            (["--runbooks", "https://example.org/#axiom"], "without ? and #"),
            (["--runbooks", "https://me:secret@example.org/"], "without a user name"),
            (["--runbooks", "https://a/", "--repository", "https://b/"], "not allowed with argument"),
            (["--group-wait", "30"], "such as 500ms, 30s"),
            (["--group-interval", "0s"], "above 0"),
            (["--job", "shop/web"], "letters, digits and - _ ."),
        ]
    )
    func wrongOptions(_ arguments: [String], _ remedy: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-refused-\(UUID().uuidString)")
        let output = try await generate(arguments + ["--into", folder.path])
        #expect(output.contains(remedy), "\(output)")
        #expect(!output.contains("Traceback") && !output.contains("secret"), "\(output)")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    private func generate(_ arguments: [String]) async throws -> String {
        try await RuleCheck.python(RuleCheck.dashboards.appending(path: "generate"), arguments)
    }
}

#if Instrumented
@Suite(
    "The names in dashboards and rules",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheusPython.mayRun, Comment(rawValue: ExternalTool.prometheusPython.installation))
)
struct MetricNameTests {
    @Test(
        "Each metric in panels and rules is on the demo's page, and each metric on the page is used or listed with a reason"
    )
    func bothWays() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-names-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let profile = folder.appending(path: "profile.json").path
        try await run(["--duration", "2s", "--rate", "200", "--record-profile", profile, "--profile-window", "100ms"])
        let page = folder.appending(path: "metrics.txt")
        // A storm and a baseline: the page has every family that the demo can have.
        let storm = ["--steps", "2000", "--rate", "200", "--faults", "storm", "--linger", "120s"]
        try await run(storm + ["--baseline-profile", profile]) { demo in
            try await demo.loadEnded()
            // A problem is named once it is certain.
            try await Loopback.wait(for: "a problem on the page") {
                try await Loopback.get("\(demo.exporter)/metrics").write(to: page)
                return try String(contentsOf: page, encoding: .utf8).contains("\naxiom_problem_active{")
            }
        }
        expectEmpty(try await RuleCheck.findings("names.py", [page.path]))
    }

    private func run(_ arguments: [String], _ body: (DemoProcess) async throws -> Void = { _ in }) async throws {
        let demo = try await DemoProcess(arguments)
        try await body(demo)
        if arguments.contains("--linger") { demo.program.signal() }
        #expect(await demo.program.exitCode() == 0)
    }
}
#endif

/// Expects that a check found nothing, and says what it found: `#expect` does not show the value of an expression with
/// `await`.
func expectEmpty(_ findings: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(findings == "", sourceLocation: sourceLocation)
}

/// Runs the checks of `Tests/RuleChecks` and of promtool.
enum RuleCheck {
    static let dashboards = Repository.root.appending(path: "Dashboards")

    /// The findings of a program of `Tests/RuleChecks`, one per line; empty if there are none.
    static func findings(
        _ program: String,
        _ arguments: [String] = [],
        with tool: ExternalTool = .prometheusPython
    ) async throws -> String {
        try await python(Repository.root.appending(path: "Tests/RuleChecks/\(program)"), arguments, with: tool)
    }

    /// The output of a Python program; its exit code if it fails without output.
    static func python(
        _ program: URL,
        _ arguments: [String],
        with tool: ExternalTool = .prometheusPython
    ) async throws -> String {
        // Without -B it would leave compiled files in the repository.
        let run = try await tool.run(["-B", program.path] + arguments)
        let output = run.output + run.errors
        return output.isEmpty && run.status != 0 ? "\(program.lastPathComponent) ended with \(run.status)" : output
    }

    /// The output of promtool if it fails; empty if it succeeds.
    static func promtool(_ arguments: [String], with tool: ExternalTool = .promtool) async throws -> String {
        let run = try await tool.run(arguments)
        return run.status == 0 ? "" : run.output + run.errors
    }

    /// The files in a folder of `Dashboards`, by name.
    static func files(_ folder: String, _ suffix: String) -> [String] {
        let path = dashboards.appending(path: folder).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(path)/\($0)" }
    }
}
