// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// The demo, run as its users run it.
final class DemoProcess: Sendable {
    /// `http://127.0.0.1:<port>` of the exporter.
    let exporter: String
    /// The same of the upstream, which serves the ledger.
    let upstream: String
    let program: RunningProgram

    /// Starts the demo at free ports and waits until it serves.
    init(_ arguments: [String]) async throws {
        let path = try BuildFolder().url.appending(path: "axiom-demo").path
        // A machine under load must not make a slow step a stuck one.
        program = try RunningProgram(path, ["--port", "0", "--step-limit", "2m"] + arguments)
        exporter = try await Self.address("metrics:", program)
        upstream = try await Self.address("upstream:", program)
    }

    deinit {
        program.signal(SIGKILL)
    }

    /// The page of metrics, as the reference reader understands it.
    func scrape() async throws -> MetricTotals {
        MetricTotals(try await PrometheusText.read(try await Loopback.text("\(exporter)/metrics")))
    }

    /// The ledger as it is now.
    func ledger() async throws -> DemoLedger {
        try JSONDecoder().decode(DemoLedger.self, from: try await Loopback.get("\(upstream)/ledger"))
    }

    /// Waits for the line that sums up the load, after which nothing changes any more.
    func loadEnded() async throws {
        try await program.firstLine("its summary") { $0.contains(" actions; ") ? () : nil }
    }

    private static func address(_ what: String, _ program: RunningProgram) async throws -> String {
        try await program.firstLine(what) { line in
            guard line.hasPrefix(what) else { return nil }
            return line.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/).map { String($0.0) }
        }
    }
}
