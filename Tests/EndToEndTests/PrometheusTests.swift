// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "The demo under a real Prometheus server",
    .serialized,
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
)
struct PrometheusTests {
    @Test("The sample configuration scrapes the demo: the target is up and actions arrive")
    func scrape() async throws {
        let demo = try await DemoProcess(["--faults", "mild", "--rate", "100"])
        let prometheus = try await PrometheusServer(configuration: try sampleConfiguration(for: demo))
        try await Loopback.wait(for: "a target that is up") {
            try await prometheus.value(of: "up{job=\"axiom\"}") == 1
        }
        #if Instrumented
        try await Loopback.wait(for: "a rate of actions above 0") {
            try await prometheus.value(of: "sum(rate(axiom_client_actions_total[10s]))") ?? 0 > 0
        }
        #else
        #expect(try await prometheus.value(of: "axiom_build_info{instrumented=\"false\"}") == 1)
        #endif
        demo.program.signal(SIGINT)
        #expect(await demo.program.exitCode() == 0)
    }

    @Test(
        "Its page passes promtool's checks",
        .enabled(if: ExternalTool.promtool.mayRun, Comment(rawValue: ExternalTool.promtool.installation))
    )
    func promtool() async throws {
        let demo = try await DemoProcess(["--duration", "2s", "--linger", "60s", "--faults", "mild", "--rate", "200"])
        try await demo.loadEnded()
        let page = try await Loopback.get("\(demo.exporter)/metrics")
        let check = try await ExternalTool.promtool.run(["check", "metrics"], input: page)
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }

    #if Instrumented
    @Test("Its default page has fewer than 3,000 samples for 23 components in a storm, a third without classic buckets")
    func size() async throws {
        let demo = try await DemoProcess(["--steps", "1500", "--linger", "60s", "--faults", "storm", "--rate", "200"])
        try await demo.loadEnded()
        let page = String(decoding: try await Loopback.get("\(demo.exporter)/metrics"), as: UTF8.self)
        let samples = page.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples.count { $0.hasPrefix("axiom_component_created_total{") } == 23)
        // Of about 2,830, about 1,765 are classic buckets.
        #expect(samples.count > 2_000 && samples.count < 3_000)
        #expect(samples.count { !$0.contains("_bucket{") } < 1_150)
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
    }
    #endif

    /// The sample configuration with the port of the demo.
    private func sampleConfiguration(for demo: DemoProcess) throws -> String {
        let file = Repository.root.appending(path: "Dashboards/prometheus/prometheus.yml")
        let sample = try String(contentsOf: file, encoding: .utf8)
        try #require(sample.contains("127.0.0.1:9464"))
        return sample.replacing("127.0.0.1:9464", with: demo.exporter.replacing("http://", with: ""))
    }
}
