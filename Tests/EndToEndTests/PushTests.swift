// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite("The demo pushes its metrics", .timeLimit(.minutes(10)))
struct PushTests {
    @Test("It writes a file while it runs and once more at its end, although another receiver is away")
    func textfile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "shop.prom")
        // Port 1 is reserved: nothing listens there.
        let demo = try await DemoProcess([
            "--rate", "20", "--steps", "100", "--linger", "1m", "--textfile", file.path, "--push-gateway",
            "http://127.0.0.1:1",
            "--push-interval", "200ms",
        ])
        try await demo.loadEnded()
        try await Loopback.wait(for: "the failure") { demo.program.output.contains("axiom-demo: pushgateway: ") }
        let served = try await demo.scrape()
        try await Loopback.wait(for: "the counts in the file") { try await written(file).actions == served.actions }
        demo.program.signal()
        #expect(await demo.program.exitCode() == 0)
        let last = try await written(file)
        #expect(served.actions > 20 && last.actions == served.actions)
        // The last push follows the end of the application.
        #expect(last.terminating == 1)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.hasSuffix(".prom") } == ["shop.prom"])
    }

    @Test(
        "The metrics and the traces for a collector name the instance",
        .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
    )
    func instance() async throws {
        let script = Repository.root.appending(path: "Tests/AxiomPushTests/Support/receiver.py").path
        let receiver = try ExternalTool.telemetryPython.start([script, "0"])
        defer { receiver.signal(SIGKILL) }
        let port = try await receiver.firstLine("its port") { $0.firstMatch(of: /"port": (\d+)/).map { String($0.1) } }
        let demo = try await DemoProcess([
            "--rate", "20", "--steps", "100", "--otlp", "http://127.0.0.1:\(port)", "--push-interval", "200ms",
        ])
        var instances: [Substring: Substring] = [:]
        // Which of them comes first is open.
        _ = try await receiver.firstLine("pushes of metrics and of traces") { line -> Bool? in
            guard let path = line.firstMatch(of: /"path": "([^"]*)"/)?.1 else { return nil }
            let id = /"service\.instance\.id", "value": \{"stringValue": "([^"]*)"}/
            instances[path] = line.firstMatch(of: id)?.1 ?? "none"
            return instances.keys.contains("/v1/metrics") && instances.keys.contains("/v1/traces") ? true : nil
        }
        demo.program.signal()
        _ = await demo.program.exitCode()
        let metrics = try #require(instances["/v1/metrics"])
        #expect(metrics.wholeMatch(of: /127\.0\.0\.1:pid-\d+/) != nil, "\(metrics)")
        #expect(instances["/v1/traces"] == metrics)
    }

    private func written(_ file: URL) async throws -> (actions: Double, terminating: Double) {
        guard let page = try? String(contentsOf: file, encoding: .utf8) else { return (0, 0) }
        let totals = MetricTotals(try await PrometheusText.read(page))
        return (totals.actions, totals.total("axiom_lifecycle_phase", ["phase": "terminating"]))
    }
}

extension MetricTotals {
    fileprivate var actions: Double { total("axiom_client_actions_total") }
}
#endif
