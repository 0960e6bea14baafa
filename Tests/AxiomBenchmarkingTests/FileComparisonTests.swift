// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Testing

@testable import AxiomBenchmarking

@Suite("Comparing recordings")
struct FileComparisonTests {
    /// A recording of one benchmark whose processes took these times.
    private func recording(_ times: [Double], processor: String = "P") -> BaselineFile {
        var metric = RecordedMetric()
        metric.unit = "ns/iter"
        var record = BenchmarkRecord()
        record.id = "suite/benchmark"
        record.metrics = ["wall": metric]
        record.runs = times.enumerated().map { ProcessRun(process: $0, start: "", samples: ["wall": [$1]]) }
        var file = BaselineFile()
        file.fingerprint.mustMatch.processor = processor
        file.benchmarks = [record]
        return file
    }

    private func times(_ centre: Double, deviation: Double, count: Int, seed: UInt64) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in centre * (1 + deviation * generator.normal()) }
    }

    private func verdict(_ old: BaselineFile, _ new: BaselineFile) throws -> Verdict.Kind? {
        try FileComparison(baseline: old, current: new).findings().first?.kind
    }

    @Test("Times of another machine, or of too few processes, are incomparable and never guessed about")
    func incomparable() throws {
        let old = recording(times(100, deviation: 0.01, count: 10, seed: 1))
        let slow = times(200, deviation: 0.01, count: 10, seed: 2)
        #expect(try verdict(old, recording(slow, processor: "Q")) == .incomparable)
        #expect(try verdict(old, recording(Array(slow.prefix(9)))) == .incomparable)
        #expect(try verdict(old, recording(slow)) == .regressed)
    }

    @Test("A change must be three times what processes vary by")
    func threeDeviations() throws {
        let old = recording(times(100, deviation: 0.05, count: 10, seed: 1))
        #expect(try verdict(old, recording(times(108, deviation: 0.05, count: 10, seed: 2))) != .regressed)
        #expect(try verdict(old, recording(times(130, deviation: 0.05, count: 10, seed: 3))) == .regressed)
        #expect(try verdict(old, recording(times(70, deviation: 0.05, count: 10, seed: 4))) == .improved)
    }

    @Test("Raises no false alarm in 300 comparisons of unchanged times, where nominal 1 % would give three")
    func falseAlarms() throws {
        var alarms = 0
        for round in 0..<300 {
            let old = recording(times(100, deviation: 0.05, count: 10, seed: UInt64(2 * round)))
            let new = recording(times(100, deviation: 0.05, count: 10, seed: UInt64(2 * round + 1)))
            if try verdict(old, new) == .regressed { alarms += 1 }
        }
        #expect(alarms == 0)
    }

    @Test("A benchmark that does something else, or another number of counted iterations, is incomparable")
    func changedBenchmark() throws {
        let old = recording(times(100, deviation: 0.01, count: 10, seed: 1))
        var other = old
        other.benchmarks[0].sourceHash = "version 2"
        #expect(try verdict(old, other) == .incomparable)
        var count = RecordedMetric()
        (count.unit, count.kind) = ("1/iter", "exact")
        var counted = old
        counted.benchmarks[0].metrics["allocations"] = count
        for index in 0..<3 { counted.benchmarks[0].runs[index].samples["allocations"] = [4] }
        var more = counted
        more.benchmarks[0].innerIterations = 128
        let findings = try FileComparison(baseline: counted, current: more, metrics: ["allocations"]).findings()
        #expect(findings.map(\.kind) == [.incomparable])
    }

    @Test("A value that is exact is judged with counts of any kind; one that varies, and times, are not")
    func exactValue() throws {
        func recording(_ value: Double, _ kind: MetricPrecision) -> BaselineFile {
            var file = self.recording([100, 100, 100])
            var metric = RecordedMetric()
            metric.kind = kind.name
            file.benchmarks[0].metrics["value"] = metric
            for index in 0..<3 { file.benchmarks[0].runs[index].samples["value"] = [value] }
            return file
        }
        func verdicts(_ kind: MetricPrecision, _ metrics: Set<String>) throws -> [Verdict.Kind] {
            let (old, new) = (recording(7, kind), recording(8, kind))
            return try FileComparison(baseline: old, current: new, metrics: metrics).findings().map(\.kind)
        }
        #expect(try verdicts(.exact, ["bytes"]) == [.regressed])
        #expect(try verdicts(.nearExact, ["allocations"]) == [.regressed])
        #expect(try verdicts(.noisy, ["bytes"]) == [])
        #expect(try verdicts(.exact, ["cpu"]) == [])
    }
}
