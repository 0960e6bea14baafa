// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

/// Windows of 10 seconds of one operation whose durations follow something: a baseline of an hour, and 20 minutes after.
struct Swing {
    /// What the durations follow.
    enum Course: CaseIterable, CustomTestStringConvertible {
        /// ±20 % within five minutes, over and over.
        case fiveMinutes
        /// ±20 % within an hour.
        case hour
        /// Levels that differ by 10 %, of which neighbours have a correlation of 0.95.
        case memory

        var testDescription: String {
            switch self {
            case .fiveMinutes: "a season of five minutes, 20 %"
            case .hour: "a season of an hour, 20 %"
            case .memory: "correlation 0.95, 10 %"
            }
        }
    }

    static let baselineWindows = 360
    static let windows = 120
    let course: Course
    let seed: UInt64

    /// The logarithms of the levels, baseline first.
    private func levels(_ generator: inout SeededGenerator) -> [Double] {
        let phase = generator.unit()
        var level = 0.1 * generator.normal()
        return (0..<(Self.baselineWindows + Self.windows)).map { number in
            switch course {
            case .fiveMinutes: return log(1 + 0.2 * sin(2 * .pi * (Double(number) / 30 + phase)))
            case .hour: return log(1 + 0.2 * sin(2 * .pi * (Double(number) / 360 + phase)))
            case .memory:
                level = 0.95 * level + 0.1 * (1 - 0.95 * 0.95).squareRoot() * generator.normal()
                return level
            }
        }
    }

    /// What the judge comes to when durations grow by a factor after the baseline.
    ///
    /// - Returns: How many windows after the growth it is flagged; nil for never. The reason of the last verdict.
    func run(growth: Double) throws -> (alarm: Int?, last: Verdict?) {
        var generator = SeededGenerator(seed: seed, stream: 1)
        let levels = levels(&generator)
        var recorded: [ProfileWindow] = []
        for (number, level) in levels.enumerated() {
            guard var durations = ExponentialHistogramData(schema: 6) else { continue }
            let centre = log(0.002) + level + (number < Self.baselineWindows ? 0 : log(growth))
            for _ in 0..<60 { durations.record(exp(centre + 0.3 * generator.normal())) }
            recorded.append(ProfileWindow(start: Double(number) * 10, durations: durations))
        }
        let baseline = Array(recorded.prefix(Self.baselineWindows))
        var judge = try LiveJudge(
            baseline: [LiveProfile(operation: "o", group: "g", windowLength: 10, windows: baseline)],
            recordedOn: Fingerprint(),
            runningOn: Fingerprint()
        )
        var alarm: Int?
        for (number, window) in recorded.dropFirst(Self.baselineWindows).enumerated() {
            let changes = judge.close(["o": window])
            if alarm == nil, changes.contains(where: { $0.verdict.kind == .regressed }) { alarm = number + 1 }
        }
        return (alarm, judge.verdicts.first?.verdict)
    }
}

@Suite("The judge where durations follow something", .timeLimit(.minutes(10)))
struct SwingTests {
    private static let seeds: Range<UInt64> = 0..<8

    private static func results(
        _ course: Swing.Course,
        growth: Double
    ) async throws -> [(seed: UInt64, alarm: Int?, last: Verdict?)] {
        try await withThrowingTaskGroup(of: (UInt64, Int?, Verdict?).self) { group in
            for seed in seeds {
                group.addTask {
                    let result = try Swing(course: course, seed: seed).run(growth: growth)
                    return (seed, result.alarm, result.last)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(
        "Durations that only swing give no alarm, and the verdict says what would be seen",
        arguments: Swing.Course.allCases
    )
    func quiet(course: Swing.Course) async throws {
        let results = try await Self.results(course, growth: 1)
        let alarms = results.filter { $0.alarm != nil }.map(\.seed).sorted()
        #expect(alarms.isEmpty, "seeds \(alarms)")
        for result in results where result.last?.kind == .insufficient {
            #expect(result.last?.detail.contains("% or more would be seen") == true, "seed \(result.seed)")
        }
    }

    @Test("Durations that double are flagged where the season is in the baseline many times")
    func doubled() async throws {
        let results = try await Self.results(.fiveMinutes, growth: 2)
        let missed = results.filter { $0.alarm == nil }.map(\.seed).sorted()
        #expect(missed.isEmpty, "seeds \(missed)")
    }

    @Test("Durations that grow tenfold are flagged whatever they follow", arguments: Swing.Course.allCases)
    func tenfold(course: Swing.Course) async throws {
        let results = try await Self.results(course, growth: 10)
        let missed = results.filter { $0.alarm == nil }.map(\.seed).sorted()
        #expect(missed.count <= 1, "seeds \(missed)")
    }
}
