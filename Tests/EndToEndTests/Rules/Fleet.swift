// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// Many demos at free ports, under one Prometheus server with the sample configuration: one of them in the place of the
/// sample's own target, the others in a file of targets.
struct Fleet {
    let demos: [DemoProcess]
    let prometheus: PrometheusServer

    /// Starts them one after the other: each needs a core for a moment.
    ///
    /// - Parameters:
    ///   - load: How long each demo works, and how fast.
    ///   - features: The values of Prometheus' `--enable-feature`.
    init(
        count: Int,
        load: [String] = ["--steps", "60", "--rate", "40"],
        features: [String] = []
    ) async throws {
        var demos: [DemoProcess] = []
        for seed in 1...count {
            demos.append(
                try await DemoProcess(load + ["--faults", "storm", "--seed", "\(seed)", "--linger", "300s"])
            )
        }
        self.demos = demos
        let folder = RuleCheck.dashboards.appending(path: "prometheus")
        let addresses = demos.map { $0.exporter.replacing("http://", with: "") }
        var files = ["targets/fleet.json": "[{\"targets\": \(Array(addresses.dropFirst()))}]"]
        for rules in ["axiom.recording.yml", "axiom.alerts.yml"] {
            files[rules] = try String(contentsOf: folder.appending(path: rules), encoding: .utf8)
        }
        let sample = try String(contentsOf: folder.appending(path: "prometheus.yml"), encoding: .utf8)
        prometheus = try await PrometheusServer(
            configuration: sample.replacing("127.0.0.1:9464\"]", with: "\(addresses[0])\"]")
                .replacing("evaluation_interval: 15s", with: "evaluation_interval: 2s"),
            features: features,
            files: files
        )
    }

    /// Ends them all.
    func stop() async -> [Int32] {
        for demo in demos { demo.program.signal() }
        var codes: [Int32] = []
        for demo in demos { codes.append(await demo.program.exitCode()) }
        return codes
    }
}
