// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("What decides between two recordings")
struct JudgedFileTests {
    /// Ten processes whose times vary by 3.5 %, so that a change must be 11 %.
    private static let times: [Double] = [95, 96, 97, 98, 99, 101, 102, 103, 104, 105]

    private static func record(_ id: String, _ metric: Metric, _ runs: [Double]) -> BenchmarkRecord {
        var recorded = RecordedMetric()
        (recorded.unit, recorded.kind) = (metric.unit, metric.kind.name)
        var record = BenchmarkRecord()
        record.id = id
        record.metrics = [metric.name: recorded]
        record.runs = runs.enumerated().map { ProcessRun(process: $0, start: "", samples: [metric.name: [$1]]) }
        return record
    }

    private static func file(_ records: [BenchmarkRecord]) -> BaselineFile {
        var file = BaselineFile()
        file.benchmarks = records
        return file
    }

    private static func counts(_ metric: Metric, _ count: Double) -> BaselineFile {
        file([record("s/b", metric, [count, count, count])])
    }

    private static func timed(_ runs: [Double]) -> BaselineFile { file([record("s/b", .wall, runs)]) }

    private func kinds(_ old: BaselineFile, _ new: BaselineFile) throws -> [Verdict.Kind] {
        try FileComparison(baseline: old, current: new).findings().map(\.kind)
    }

    @Test("Numbers of a debug build and of a release build are incomparable, counts as well as times")
    func configurations() throws {
        for (old, new) in [
            (Self.counts(.allocations, 4), Self.counts(.allocations, 9)),
            (Self.timed(Self.times), Self.timed(Self.times.map { $0 * 2 })),
        ] {
            var debug = new
            debug.build.configuration = "debug"
            #expect(try kinds(old, new) == [.regressed])
            #expect(try kinds(old, debug) == [.incomparable])
        }
    }

    @Test("Counts of another counter, or of another version of it, are incomparable")
    func backends() throws {
        var old = Self.counts(.allocations, 4)
        var new = Self.counts(.allocations, 9)
        old.counters["malloc"] = CounterBackend()
        new.counters["malloc"] = CounterBackend()
        #expect(try kinds(old, new) == [.regressed])
        new.counters["malloc"]?.version = 2
        #expect(try kinds(old, new) == [.incomparable])
        new.counters["malloc"] = CounterBackend()
        new.counters["malloc"]?.backend = "interposer"
        #expect(try kinds(old, new) == [.incomparable])
    }

    @Test("On another machine instructions are incomparable, and allocations are judged")
    func otherMachine() throws {
        for (metric, key, kind) in [
            (.instructions, "instructions", .incomparable), (.allocations, "malloc", .regressed),
        ] as [(Metric, String, Verdict.Kind)] {
            var old = Self.counts(metric, 4_000)
            var new = Self.counts(metric, 9_000)
            old.counters[key] = CounterBackend()
            new.counters[key] = CounterBackend()
            #expect(try kinds(old, new) == [.regressed])
            new.fingerprint.mustMatch.processor = "another"
            #expect(try kinds(old, new) == [kind], "\(metric)")
        }
    }

    @Test("A metric that the new recording lacks is lost, and not passed")
    func lost() throws {
        var new = Self.counts(.allocations, 4)
        for index in 0..<3 { new.benchmarks[0].runs[index].samples = [:] }
        #expect(try kinds(Self.counts(.allocations, 4), new) == [.lost])
    }

    @Test("Too few processes on either side are incomparable")
    func fewProcesses() throws {
        let whole = Self.timed(Self.times)
        let part = Self.timed(Array(Self.times.prefix(9)))
        #expect(try kinds(whole, whole) == [.ok])
        #expect(try kinds(part, whole) == [.incomparable])
        #expect(try kinds(whole, part) == [.incomparable])
    }

    @Test("A change that may be as large as the least effect, and may be smaller, is inconclusive")
    func undecided() throws {
        let old = Self.timed(Self.times)
        for (factor, kind) in [
            (1, .ok), (1.09, .insufficient), (1.2, .regressed), (0.8, .improved),
        ] as [(Double, Verdict.Kind)] {
            let new = Self.timed(Self.times.map { $0 * factor })
            #expect(try kinds(old, new) == [kind], "\(factor)")
        }
    }

    @Test("What is a regression alone is none among benchmarks that share the rate of false alarms")
    func manyBenchmarks() throws {
        // Ranks of which 0.34 % of unchanged pairs have as extreme ones: above 1 % among five.
        let worse = [100, 100.1, 100.2] + (0..<7).map { 200 + Double($0) }
        func recording(_ count: Int, _ first: [Double]) -> BaselineFile {
            Self.file((0..<count).map { Self.record("s/\($0)", .wall, $0 == 0 ? first : Self.times) })
        }
        #expect(try kinds(recording(1, Self.times), recording(1, worse)) == [.regressed])
        let among = try kinds(recording(5, Self.times), recording(5, worse))
        #expect(among == [.insufficient, .ok, .ok, .ok, .ok])
    }

    @Test("The command exits with 1 for a regression, with 0 for the same numbers, and writes the code into its report")
    func command() throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        let paths = try [4.0, 5].map { (count) throws -> String in
            let path = sample.path("\(Int(count)).json")
            try Self.counts(.allocations, count).save(to: path)
            return path
        }
        let (program, report) = (SuiteProgram(suites: []), sample.path("report.json"))
        for (old, new, status) in [
            (0, 1, .regression), (1, 0, .success), (0, 0, .success),
        ] as [(Int, Int, AxiomBenchmarking.ExitStatus)] {
            let command = ["compare", paths[old], paths[new], "--format", "json", "--output", report]
            #expect(program.run(command) == status)
            let text = try String(contentsOfFile: report, encoding: .utf8)
            #expect(text.contains("\"exit_code\" : \(status.rawValue)"))
        }
    }
}
