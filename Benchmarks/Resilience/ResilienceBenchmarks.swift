// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport

/// Measures what a circuit breaker adds to a call, and what a rejection costs.
///
/// `resilience-benchmarks [--format json] [--only PREFIX] [--rounds N]`. Times are compared with the reading of the clock that is
/// measured in the same run, in turns with everything else.
@main
struct ResilienceBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments
        func option(_ name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
        }
        let rounds = option("--rounds").flatMap { Int($0) } ?? 201
        var suite = try BreakerSuite(only: option("--only") ?? "", rounds: rounds)
        let report = await suite.run()
        print(option("--format") == "json" ? report.json : report.table)
    }
}
