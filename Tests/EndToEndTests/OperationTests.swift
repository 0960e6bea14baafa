// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite(
    "What receives alerts, runs the application and measures fleets",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.promtool.mayRun, Comment(rawValue: ExternalTool.promtool.installation))
)
struct OperationTests {
    private static let dashboards = RuleCheck.files("grafana", ".json")

    @Test(
        "An outage is one incident for a pager: later contexts update its notification, and the next outage is another",
        .enabled(if: ExternalTool.alertmanager.mayRun, Comment(rawValue: ExternalTool.alertmanager.installation))
    )
    func paging() async throws {
        _ = try await ExternalTool.alertmanager.run(["--version"])
        let findings = try await RuleCheck.findings("paging.py")
        #expect(findings == "")
    }

    @Test(
        "The manifests for Kubernetes obey the schemas and agree with each other, and the demo runs as they say",
        .enabled(if: ExternalTool.manifestPython.mayRun, Comment(rawValue: ExternalTool.manifestPython.installation)),
        .enabled(if: ExternalTool.namespaces.mayRun, "\(ExternalTool.namespaces.installation)")
    )
    func manifests() async throws {
        let demo = try BuildFolder().url.appending(path: "axiom-demo").path
        expectEmpty(try await RuleCheck.findings("manifests.py", [demo], with: .manifestPython))
    }

    @Test(
        "The models of Grafana read each dashboard completely, and find planted faults",
        .enabled(if: ExternalTool.grafanaPython.mayRun, Comment(rawValue: ExternalTool.grafanaPython.installation))
    )
    func grafana() async throws {
        #expect(Self.dashboards.count == 4)
        let overview = Self.dashboards.filter { $0.hasSuffix("overview.json") }
        let program = "grafana_model.py"
        expectEmpty(try await RuleCheck.findings(program, Self.dashboards, with: .grafanaPython))
        expectEmpty(try await RuleCheck.findings(program, ["--self-test"] + overview, with: .grafanaPython))
    }

    @Test("Links lead from the fleet to a component, latencies have exemplars, and burn rates the lines of the alerts")
    func links() async throws {
        expectEmpty(try await RuleCheck.findings("grafana_links.py"))
    }

    @Test(
        "The measurement of the rules of long windows evaluates each, and the subquery that it replaces",
        .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
    )
    func ruleWindows() async throws {
        let script = Repository.root.appending(path: "Scripts/rule-windows")
        let output = try await RuleCheck.python(script, ["--contexts", "1", "--budgets", "1", "--days", "1"])
        #expect(output.contains("job_context:axiom_context_actions_judged:increase30d"), "\(output)")
        #expect(output.hasSuffix(" all\n"))
        #expect(try await RuleCheck.python(script, ["--days", "0"]).contains("must be 1 or more"))
    }

    @Test(
        "The measurement of fleets scrapes each simulated instance, and finds their sum in what is recorded",
        .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
    )
    func fleet() async throws {
        let demo = try BuildFolder().url.appending(path: "axiom-demo").path
        let small = ["--instances", "5", "--minutes", "0.1", "--interval", "1s", "--evaluation", "1s", "--sample", "1"]
        let script = Repository.root.appending(path: "Scripts/fleet")
        let output = try await RuleCheck.python(script, small + ["--demo", demo])
        #expect(output.hasSuffix("and the recorded sum is theirs\n"), "\(output)")
        #expect(output.contains("job_instance:axiom_errors:rate5m"))
    }

    @Test("A wrong option of the measurements is refused, with what is allowed")
    func wrongFleet() async throws {
        let move = Repository.root.appending(path: "Scripts/histogram-move")
        #expect(try await RuleCheck.python(move, ["--demo", "/nowhere"]).contains("/nowhere is missing: swift build"))
        let script = Repository.root.appending(path: "Scripts/fleet")
        #expect(try await RuleCheck.python(script, ["--instances", "0"]).contains("1 to 1000 are allowed"))
        #expect(try await RuleCheck.python(script, ["--minutes", "0"]).contains("must be above 0"))
        #expect(try await RuleCheck.python(script, ["--interval", "15"]).contains("such as 15s"))
    }
}

extension ExternalTool {
    /// A user may make mount and network namespaces.
    static let namespaces = ExternalTool(
        installation: "no namespaces: run the tests where unshare -rmn may make them",
        provenBy: "unshare -rmn true"
    )

    /// Alertmanager, which comes with amtool.
    static let alertmanager = ExternalTool(
        installation: "prometheus-alertmanager is missing: apt-get install prometheus-alertmanager",
        path: find("amtool") == nil ? nil : find("prometheus-alertmanager")
    )

    /// A Python with the schemas of Kubernetes and the models of the Prometheus Operator.
    static let manifestPython = ExternalTool(
        installation: "Python with kubernetes-validate and cloudcoil is missing: Scripts/setup test",
        path: python(importing: ["yaml"], finding: "cloudcoil.models.prometheus_operator")
    )

    /// A Python with the models of Grafana's dashboards.
    static let grafanaPython = ExternalTool(
        installation: "Python with grafana-foundation-sdk is missing: Scripts/setup test",
        path: python(importing: ["grafana_foundation_sdk"])
    )
}
#endif
