// SPDX-License-Identifier: Apache-2.0

import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("What decides in the second stage")
struct StagedVerdictTests {
    /// Pairs of which all are worse.
    private static let worse = (0..<10).map { 0.3 + Double($0) / 1_000 }
    /// Fifteen pairs that lean to one side: of unchanged pairs 0.42 % lean as much.
    private static let leaning = (1...15).map { $0 <= 5 ? -0.01 * Double($0) : 0.01 * Double($0) }
    /// Fifteen pairs that lean to no side.
    private static let even = (1...15).map { ($0 % 2 == 0 ? 0.01 : -0.01) * Double($0) }

    /// Judges rows whose first stage is worse, and whose second stage has some pairs once.
    private func kinds(_ second: [[Double]], _ design: TwoStageDesign = .init()) throws -> [Verdict.Kind] {
        let rows = second.indices.map {
            ComparedRow(benchmark: $0, id: "b\($0)", metric: .wall, minimumEffect: 0.02)
        }
        var stage = 0
        let findings = try design.judge(rows) { chosen, _ in
            defer { stage += 1 }
            return Dictionary(
                uniqueKeysWithValues: chosen.map { benchmark -> (Int, [[Metric: PairedValue]]) in
                    let ratios = stage == 0 ? Self.worse : stage == 1 ? second[benchmark] : []
                    return (benchmark, ratios.map { [.wall: PairedValue(logRatio: $0, baseline: 100, current: 100)] })
                }
            )
        }
        return findings.map(\.kind)
    }

    @Test("Rows that are confirmed together share the rate of false alarms")
    func manyRows() throws {
        #expect(try kinds([Self.leaning]) == [.regressed])
        let among = try kinds([Self.leaning] + [[Double]](repeating: Self.even, count: 9))
        #expect(!among.contains(.regressed), "\(among)")
    }

    @Test("Looks share the rate of false alarms")
    func manyLooks() throws {
        var design = TwoStageDesign()
        design.looks = 3
        #expect(try kinds([Self.leaning], design) == [.insufficient])
        design.looks = 2
        #expect(try kinds([Self.leaning], design) == [.regressed])
    }

    @Test("The pairs by which a row was chosen do not confirm it")
    func freshPairs() throws {
        #expect(try kinds([Self.even]) != [.regressed])
    }

    @Test("Pairs that are better in the second stage are no regression, however much worse the first was")
    func direction() throws {
        #expect(try kinds([Self.leaning.map { -$0 }]) != [.regressed])
        #expect(try kinds([Self.leaning.map { $0 + 0.2 }]) == [.regressed])
    }
}

@Suite("The null control")
struct NullControlTests {
    private func problem(_ ratios: [Double]) throws -> String? {
        try NullControl(id: "kernel", logRatios: ratios).problem(minimumEffect: 0.02)
    }

    @Test("Equal programs that vary too much, or that differ from each other, allow no verdict; others do")
    func problems() throws {
        let small = (0..<10).map { ($0 % 2 == 0 ? 0.001 : -0.001) * Double($0 + 1) }
        #expect(try problem(small) == nil)
        #expect(try problem(small.map { $0 * 50 })?.contains("vary by") == true)
        #expect(try problem(small.map { $0 + 0.03 })?.contains("differs from itself by") == true)
        #expect(try problem(small.map { $0 - 0.03 })?.contains("differs from itself") == true)
        // Certain, but less than half of the effect that counts.
        #expect(try problem(small.map { $0 / 100 + 0.005 }) == nil)
    }
}
