// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

/// Pairs drawn from a known distribution in the place of measured ones.
private struct Simulation {
    var generator: SeededGenerator
    /// How much pairs vary, as logarithm.
    let deviation: Double
    /// By how much each benchmark got slower: 0.05 is 5 %.
    let slowdowns: [Double]
    /// A machine that hiccups: one pair in so many is off by 40 %.
    let outliers: Int?

    init(seed: UInt64, run: Int = 0, deviation: Double, slowdowns: [Double], outliers: Int? = nil) {
        generator = SeededGenerator(seed: seed, stream: UInt64(run))
        (self.deviation, self.slowdowns, self.outliers) = (deviation, slowdowns, outliers)
    }

    mutating func pairs(_ benchmark: Int, _ count: Int) -> [[Metric: PairedValue]] {
        (0..<count).map { _ in
            var shift = log1p(slowdowns[benchmark]) + deviation * generator.normal()
            if let outliers, generator.index(below: outliers) == 0 { shift += generator.unit() < 0.5 ? 0.4 : -0.4 }
            return [.wall: PairedValue(logRatio: shift, baseline: 100, current: 100 * exp(shift))]
        }
    }

    mutating func judge(_ design: TwoStageDesign = .init()) throws -> [ComparisonFinding] {
        let rows = slowdowns.indices.map {
            ComparedRow(benchmark: $0, id: "b\($0)", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        }
        var copy = self
        defer { self = copy }
        return try design.judge(rows) { chosen, count in
            Dictionary(uniqueKeysWithValues: chosen.map { ($0, copy.pairs($0, count)) })
        }
    }
}

@Suite("Judging in two stages")
struct TwoStageDesignTests {
    @Test(
        "Raises a false alarm in at most 1 % of runs over 12 unchanged benchmarks, however much pairs vary",
        arguments: [(0.005, nil), (0.05, nil), (0.02, 10)] as [(Double, Int?)]
    )
    func falseAlarms(deviation: Double, outliers: Int?) throws {
        let runs = 150
        var alarms = 0
        for run in 0..<runs {
            var simulation = Simulation(
                seed: 7,
                run: run,
                deviation: deviation,
                slowdowns: .init(repeating: 0, count: 12),
                outliers: outliers
            )
            if try simulation.judge().contains(where: { $0.kind == .regressed }) { alarms += 1 }
        }
        // Were the true rate 1 %, more than 7 of 150 would come up three times in 10,000.
        #expect(alarms <= 7, "\(alarms) of \(runs)")
    }

    @Test("Finds 5 % in 9 of 10 runs among 10 benchmarks whose pairs vary by 2 %, and nothing else")
    func power() throws {
        var found = 0
        var others = 0
        for run in 0..<60 {
            var simulation = Simulation(
                seed: 11,
                run: run,
                deviation: 0.02,
                slowdowns: [0.05] + .init(repeating: 0, count: 9)
            )
            let findings = try simulation.judge()
            if findings[0].kind == .regressed { found += 1 }
            if findings.dropFirst().contains(where: { $0.kind == .regressed }) { others += 1 }
        }
        #expect(found >= 54, "\(found) of 60")
        #expect(others <= 4, "\(others) of 60")
    }

    @Test("Says inconclusive rather than ok when pairs vary too much to see the effect")
    func noise() throws {
        var simulation = Simulation(seed: 3, deviation: 0.3, slowdowns: [0])
        let finding = try simulation.judge()[0]
        #expect(finding.kind == .insufficient)
        #expect(try #require(finding.detectable) > 0.1)
    }

    @Test("Calls no change a regression that is below the least effect, however certain it is")
    func smallEffect() throws {
        var simulation = Simulation(seed: 5, deviation: 0.0005, slowdowns: [0.015])
        #expect(try simulation.judge()[0].kind == .ok)
    }

    @Test("Notes an improvement, and gates nothing by it")
    func improvement() throws {
        var simulation = Simulation(seed: 5, deviation: 0.01, slowdowns: [-0.1])
        #expect(try simulation.judge()[0].kind == .improved)
    }

    @Test("Takes fresh pairs for the second stage, more where more rows are confirmed")
    func freshPairs() throws {
        var asked: [Int] = []
        let rows = (0..<200).map {
            ComparedRow(benchmark: $0, id: "b\($0)", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        }
        let findings = try TwoStageDesign().judge(rows) { chosen, count in
            asked.append(count)
            let pair = [Metric.wall: PairedValue(logRatio: 0.2, baseline: 100, current: 122)]
            return Dictionary(uniqueKeysWithValues: chosen.map { ($0, .init(repeating: pair, count: count)) })
        }
        // 2^-15 · 200 is below 1 %, and 2^-14 · 200 is not.
        #expect(asked == [10, 15])
        #expect(findings.allSatisfy { $0.kind == .regressed })
    }

    @Test("Is inconclusive where only the second of both stages looks worse")
    func oneStageAlone() throws {
        let row = ComparedRow(benchmark: 0, id: "b", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        var stages = 0
        let findings = try TwoStageDesign().judge([row]) { _, count in
            stages += 1
            let isFirst = stages == 1
            // First half of the pairs are better by as much as the others are worse; then all of them are worse.
            let pairs = (0..<count).map { index -> [Metric: PairedValue] in
                let shift: Double = isFirst && index % 2 == 0 ? -0.1 - Double(index) / 1_000 : 0.1
                return [.wall: PairedValue(logRatio: shift, baseline: 100, current: 100 * exp(shift))]
            }
            return [0: pairs]
        }
        #expect(stages == 2)
        #expect(findings.map(\.kind) == [.insufficient])
        #expect(findings[0].detail == "looks worse in the second stage only")
    }

    @Test("Raises few false alarms where pairs vary so much that all benchmarks are measured afresh")
    func heavyNoise() throws {
        var alarms = 0
        for run in 0..<300 {
            var simulation = Simulation(seed: 13, run: run, deviation: 0.1, slowdowns: [0, 0, 0, 0], outliers: 20)
            if try simulation.judge().contains(where: { $0.kind == .regressed }) { alarms += 1 }
        }
        // The second stage alone alarms in 0.9 % of runs, some 3 of 300; both in 0.05 %.
        #expect(alarms <= 1, "\(alarms) of 300")
    }

    /// A design that looks six times.
    private static var patient: TwoStageDesign {
        var design = TwoStageDesign()
        design.looks = 6
        design.needsBothStages = false
        return design
    }

    @Test(
        "The design for programs decides 9 of 10 unchanged rows whose pairs vary by as much as 9 %, and raises few false alarms",
        arguments: [0.06, 0.09]
    )
    func undecided(deviation: Double) throws {
        let runs = 12
        var (decided, alarms) = (0, 0)
        for run in 0..<runs {
            var simulation = Simulation(
                seed: 29,
                run: run,
                deviation: deviation,
                slowdowns: .init(repeating: 0, count: 8)
            )
            let findings = try simulation.judge(.duet(alpha: 0.01))
            decided += findings.count { $0.kind == .ok || $0.kind == .improved }
            if findings.contains(where: { $0.kind == .regressed }) { alarms += 1 }
        }
        #expect(decided >= runs * 8 * 9 / 10, "\(decided) of \(8 * runs)")
        // Were the true rate 1 %, more than 2 of 12 would come up twice in 10,000.
        #expect(alarms <= 2, "\(alarms) of \(runs)")
    }

    @Test(
        "The design for programs finds 5 % in 9 of 10 runs whose pairs vary by 4 %, and never says that nothing changed",
        arguments: [(0.04, 18), (0.08, 6)]
    )
    func duetPower(deviation: Double, least: Int) throws {
        var found = 0
        for run in 0..<20 {
            var simulation = Simulation(seed: 31, run: run, deviation: deviation, slowdowns: [0.05])
            let kind = try simulation.judge(.duet(alpha: 0.01))[0].kind
            #expect(kind == .regressed || kind == .insufficient)
            if kind == .regressed { found += 1 }
        }
        #expect(found >= least, "\(found) of 20")
    }

    @Test("Rows that are decided are not measured again")
    func decidedRows() throws {
        let rows = ["calm", "wild"].enumerated().map {
            ComparedRow(benchmark: $0.offset, id: $0.element, metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        }
        var generator = SeededGenerator(seed: 37)
        var asked: [[Int]] = []
        _ = try TwoStageDesign.duet(alpha: 0.01).judge(rows) { chosen, count in
            asked.append(chosen)
            return Dictionary(
                uniqueKeysWithValues: chosen.map { benchmark in
                    let pairs = (0..<count).map { _ -> [Metric: PairedValue] in
                        let shift = (benchmark == 0 ? 0.03 : 0.5) * generator.normal()
                        return [.wall: PairedValue(logRatio: shift, baseline: 100, current: 100 * exp(shift))]
                    }
                    return (benchmark, pairs)
                }
            )
        }
        #expect(asked == [[0, 1], [0, 1], [1], [1]], "\(asked)")
    }

    @Test("Doubles its pairs until it can tell, and stops there")
    func looks() throws {
        let row = ComparedRow(benchmark: 0, id: "b", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        var generator = SeededGenerator(seed: 17)
        var asked: [Int] = []
        let findings = try Self.patient.judge([row]) { _, count in
            asked.append(count)
            return [
                0: (0..<count).map { _ in
                    let shift = log1p(0.04) + 0.08 * generator.normal()
                    return [.wall: PairedValue(logRatio: shift, baseline: 100, current: 100 * exp(shift))]
                }
            ]
        }
        #expect(findings.map(\.kind) == [.regressed])
        let looks = Array(asked.dropFirst())
        #expect(looks == Array([15, 15, 30, 60, 120, 240].prefix(looks.count)) && looks.count > 1, "\(asked)")
    }

    @Test("Judges what it has when no more pairs can be measured")
    func cutShort() throws {
        let row = ComparedRow(benchmark: 0, id: "b", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        var generator = SeededGenerator(seed: 19)
        var left = 40
        let findings = try Self.patient.judge([row]) { _, count in
            defer { left -= min(left, count) }
            return [
                0: (0..<min(left, count)).map { _ in
                    let shift = 0.3 * generator.normal()
                    return [.wall: PairedValue(logRatio: shift, baseline: 100, current: 100 * exp(shift))]
                }
            ]
        }
        #expect(left == 0)
        #expect(findings.map(\.kind) == [.insufficient])
    }

    @Test("With six looks finds 5 % in 9 of 10 runs whose pairs vary by 8 %, and raises no more false alarms")
    func patience() throws {
        let runs = 30
        var (found, alarms) = (0, 0)
        for run in 0..<runs {
            for slowdown in [0, 0.05] {
                var simulation = Simulation(seed: 23, run: run, deviation: 0.08, slowdowns: [slowdown])
                guard try simulation.judge(Self.patient)[0].kind == .regressed else { continue }
                if slowdown > 0 { found += 1 } else { alarms += 1 }
            }
        }
        #expect(found >= 27, "\(found) of \(runs)")
        // Were the true rate 1 %, more than 3 of 30 would come up twice in 10,000.
        #expect(alarms <= 3, "\(alarms) of \(runs)")
    }

    @Test("Refuses numbers of pairs with which nothing could ever fail")
    func tooFewPairs() {
        var design = TwoStageDesign()
        design.screenPairs = 4
        #expect(throws: BenchmarkError.self) { try design.judge([]) { _, _ in [:] } }
    }

    @Test("Is inconclusive about what could not be measured often enough")
    func missingPairs() throws {
        let row = ComparedRow(benchmark: 0, id: "b", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0)
        let findings = try TwoStageDesign().judge([row]) { _, _ in [:] }
        #expect(findings.map(\.kind) == [.insufficient])
    }

    @Test("Lets a change pass that is less than the floor in nanoseconds")
    func absoluteFloor() throws {
        let row = ComparedRow(benchmark: 0, id: "b", metric: .wall, minimumEffect: 0.02, absoluteFloor: 0.2)
        let pair = [Metric.wall: PairedValue(logRatio: 0.05, baseline: 2, current: 2.1)]
        let findings = try TwoStageDesign().judge([row]) { _, count in [0: .init(repeating: pair, count: count)] }
        #expect(findings[0].kind == .ok)
    }
}
