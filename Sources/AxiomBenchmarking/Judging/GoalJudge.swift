// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// Judges one goal by the values of processes, of which the least decides: what else a machine does makes a process slower
/// and none faster.
struct GoalJudge {
    enum Verdict: String, Sendable {
        case met
        /// Missed as it was before, and within its ceiling.
        case open
        case missed
        /// Too few processes, or no number.
        case inconclusive
    }

    /// How many processes must all miss a goal. If a process misses a goal that is met with probability p, the goal counts
    /// as missed with probability p¹⁰: with one half in a run of 1,024.
    static let processes = 10

    let info: BenchmarkInfo
    let goal: BenchmarkGoal.Content
    private(set) var values: [Double] = []
    private var hasNoNumber = false

    init?(_ info: BenchmarkInfo) {
        guard let goal = info.goal else { return nil }
        (self.info, self.goal) = (info, goal)
    }

    /// Adds the value of one more process.
    mutating func add(_ value: Double) {
        if value.isNaN { hasNoNumber = true } else { values.append(value) }
    }

    var isDecided: Bool { hasNoNumber || verdict != .inconclusive }

    var verdict: Verdict {
        if let least = values.min(), least <= goal.held ?? goal.limit { return least <= goal.limit ? .met : .open }
        return values.count >= Self.processes ? .missed : .inconclusive
    }

    /// The verdict with its figures.
    var words: String {
        let limits = "goal \(Format.number(goal.limit))" + (goal.held.map { ", held at \(Format.number($0))" } ?? "")
        let least = Format.number(values.min() ?? .nan)
        switch verdict {
        case .met: return "met" + (goal.held.map { ": its ceiling of \(Format.number($0)) can go" } ?? "")
        case .open: return "open: \(least), \(limits)"
        case .missed: return "MISSED: \(least) in the best of \(values.count) processes, \(limits)"
        case .inconclusive where hasNoNumber: return "inconclusive: gave no number"
        case .inconclusive where values.isEmpty: return "inconclusive: not measured before the budget ended"
        case .inconclusive: return "inconclusive: \(least) in \(values.count) of \(Self.processes) processes, \(limits)"
        }
    }

    /// What is compared with the goal, for reports.
    var metric: Metric {
        let unit = goal.reference.map { "x \($0)" } ?? info.own?.unit ?? Metric.wall.unit
        return Metric("goal", unit: unit, kind: .information)
    }

    var finding: ComparisonFinding {
        let kinds: [Verdict: AxiomStatistics.Verdict.Kind] = [.missed: .missed, .inconclusive: .insufficient]
        var finding = ComparisonFinding(info.id, metric, kinds[verdict] ?? .ok, words)
        finding.current = values.min()
        return finding
    }
}
