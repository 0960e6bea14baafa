// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "Dashboards and rules, as files",
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

    @Test("They are what Dashboards/generate writes")
    func drift() async throws {
        #expect(try await RuleCheck.python(RuleCheck.dashboards.appending(path: "generate"), ["--check"]) == "")
    }

    @Test("No dashboard breaks one of the 17 rules of Grafana's linter")
    func linter() async throws {
        #expect(Self.dashboards.count == 4)
        #expect(try await RuleCheck.findings("grafana_linter.py", Self.dashboards) == "")
    }

    @Test("Each of the 17 rules finds the fault that is planted for it")
    func plantedFaults() async throws {
        #expect(try await RuleCheck.findings("grafana_linter.py", ["--self-test"] + Self.dashboards.prefix(1)) == "")
    }

    @Test("promtool has nothing to say about the rules")
    func lint() async throws {
        #expect(Self.rules.count == 2)
        #expect(try await RuleCheck.promtool(["check", "rules", "--lint=all", "--lint-fatal"] + Self.rules) == "")
    }

    @Test("promtool takes the sample configuration, with its rules and its targets")
    func configuration() async throws {
        let file = RuleCheck.dashboards.appending(path: "prometheus/prometheus.yml").path
        #expect(try await RuleCheck.promtool(["check", "config", file]) == "")
    }

    @Test("Rules record what they should, and alerts fire, do not, and resolve, by promtool's count", arguments: cases)
    func rulesObeyCases(_ file: String) async throws {
        let path = RuleCheck.dashboards.appending(path: "prometheus/tests/\(file)").path
        #expect(try await RuleCheck.promtool(["test", "rules", path]) == "")
    }

    @Test("The example for Alertmanager names alerts that exist, and leaves one alert of each outage")
    func alertmanager() async throws {
        #expect(try await RuleCheck.findings("alertmanager.py") == "")
    }

    @Test("With a base URL, alerts and panels link to the runbooks; without one, the file says how to get it")
    func runbookLinks() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-links-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let base = "https://git.example.org/axiom"
        let generate = RuleCheck.dashboards.appending(path: "generate")
        #expect(try await RuleCheck.python(generate, ["--repository", base, "--into", folder.path]) == "")
        let link = "\(base)/Documentation/runbooks/axiom-circuit-open.md"
        for file in ["prometheus/axiom.alerts.yml", "grafana/circuits-and-budgets.json"] {
            #expect(try String(contentsOf: folder.appending(path: file), encoding: .utf8).contains(link), "\(file)")
        }
        let alerts = RuleCheck.dashboards.appending(path: "prometheus/axiom.alerts.yml")
        #expect(try String(contentsOf: alerts, encoding: .utf8).contains("--repository"))
        #expect(try await RuleCheck.python(generate, ["--repository", "here", "--check"]).contains("give a URL"))
    }

    @Test("Every alert has its four cases, its words and its runbook, and every recording rule a value")
    func coverage() async throws {
        #expect(Self.cases.count == 3)
        #expect(try await RuleCheck.findings("coverage.py") == "")
    }
}
