// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import BenchmarkSupport

/// Measures what recording, looking up and keeping series cost.
///
/// `metrics-benchmarks [--format json] [--only PREFIX] [--rounds N]`. Times are compared with the atomic addition that is measured in
/// the same run, in turns with everything else.
@main
struct MetricsBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        let rounds = option("--rounds").flatMap { Int($0) } ?? 401
        var suite = try Suite(registry: Registry(), only: option("--only") ?? "", rounds: rounds)
        let report = try await suite.run()
        print(option("--format") == "json" ? report.json : report.table)
    }
}
