// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("Measuring real processes")
struct DuetTests {
    @Test("A self-test exits by the false alarms that it reports, and states the bound of their rate")
    func selfTest() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["self-test", "--rounds", "1"])
        let words = try #require(output.output.firstMatch(of: /false alarms: ([01]) of 1 runs over 4 kernels/))
        let alarms = try #require(Int(words.1))
        #expect(output.status == Int32(alarms), "\(output.output)")
        let bound = try BinomialDistribution.clopperPearson(successes: alarms, trials: 1).upperBound
        #expect(output.output.contains("at most \(Format.percent(bound)) of runs"), "\(output.output)")
    }

    /// Microseconds since the start of the machine in which a thread waited for a processor, from the kernel's pressure
    /// stall information; nil without it.
    private static var waited: Double? {
        let text = try? String(contentsOfFile: "/proc/pressure/cpu", encoding: .utf8)
        return text?.firstMatch(of: /some .*total=(\d+)/).flatMap { Double($0.1) }
    }

    @Test("A program that takes twice as long is found, unless other programs use the processors")
    func injected() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let (start, before) = (ContinuousClock.now, Self.waited)
        for seed in 1...3 {
            let output = try await sample.run(["self-test", "--rounds", "1", "--inject", "100%", "--seed", "\(seed)"])
            if output.status == 0 { return }
            #expect(output.output.contains("inconclusive in 1 of 1"), "missed without a doubt: \(output.output)")
        }
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        let share = try #require(before.flatMap { before in Self.waited.map { ($0 - before) / microseconds } })
        try #require(share > 0.2, "inconclusive three times, although threads waited for \(share) of the time only")
        // Shown as cancelled, not as passed: nothing was tested.
        try Test.cancel("the machine is too noisy to judge times: run this test alone")
    }

    @Test("Of two commands, the one that does more is found out")
    func commands() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let (short, long) = (
            "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done", "i=0; while [ $i -lt 9000 ]; do i=$((i+1)); done"
        )
        let output = try await sample.run(["--cmd", short, "--cmd", long, "--metrics", "cpu"])
        #expect(output.status == 1, "\(output.output) \(output.errors)")
        let failing = try await sample.run(["--cmd", "true", "--cmd", "exit 3"])
        #expect(failing.status == 5)
    }

    @Test("Retains and releases are counted by the runtime's hooks")
    func references() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let output = try await sample.run(["--filter", "allocate", "--metrics", "retains,releases", "--format", "json"])
        #expect(output.status == 0, "\(output.errors)")
        let report = try JSONSerialization.jsonObject(with: Data(output.output.utf8)) as? [String: Any]
        let benchmark = try #require((report?["benchmarks"] as? [[String: Any]])?.first, "\(output.output)")
        let metrics = try #require(benchmark["metrics"] as? [String: [String: Any]], "\(output.output)")
        for metric in ["retains", "releases"] {
            let counted = try #require(metrics[metric]?["median"] as? Double, "\(output.output)")
            #expect(counted > 0, "\(metric)")
        }
    }
}
