// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A detector that needs no limit of the application.
enum TrendDetector: String, Sendable, Hashable {
    case latency, tail, hang, wait, failing, growth, backlog, lives, silence

    fileprivate var kind: ProblemKind {
        switch self {
        case .latency, .tail, .hang, .wait: .slow
        case .failing: .failing
        case .growth, .backlog, .lives: .growth
        case .silence: .silence
        }
    }

    fileprivate var symptom: Symptom {
        switch self {
        case .latency, .tail, .wait: .slow
        case .failing: .failingShare
        case .hang, .growth, .backlog, .lives, .silence: .other
        }
    }

    /// The problems of the same component that say the same or explain it.
    var explanations: Set<ProblemKind> {
        switch self {
        case .latency, .tail, .hang, .wait: [.slow, .budget, .regression, .failing, .action]
        case .backlog: [.slow, .budget, .regression, .failing, .circuit, .action]
        case .failing: [.failing, .error, .circuit, .capability, .action]
        case .growth, .lives: [.leak, .budget]
        case .silence: [.failing, .error, .circuit, .capability, .action]
        }
    }
}

// MARK: - Observations

extension ObservedMoment {
    /// The most of them at one moment.
    private static let mostTrends = 20

    /// What is unusual compared with the hour before: of each component and detector what is most so.
    var trendObservations: [Problem] {
        let parts = Dictionary(grouping: trends) { "observation/\($0.detector.rawValue)/\($0.subject.key)" }
        let chosen = parts.compactMapValues { findings in
            findings.max { ($0.weight, $0.text(past: false)) < ($1.weight, $1.text(past: false)) }
        }
        return chosen.sorted { $0.key < $1.key }.prefix(Self.mostTrends).map { key, finding in
            let component = finding.subject.component
            return Problem(
                key: key,
                level: .observation,
                kind: finding.detector.kind,
                component: id(named: component),
                text: finding.text(past: false),
                past: finding.text(past: true),
                symptom: finding.detector.symptom,
                subjects: component.isEmpty ? [] : [component],
                trend: finding.detector,
                isBeyondMachine: finding.isBeyondMachine
            )
        }
    }
}

extension CauseFolding {
    /// Observations follow from a problem of the same component. Of those that no problem explains, one that takes longer,
    /// fails or hangs follows from one below it, and one that is no longer called from one above it.
    mutating func addObservations(to findings: inout [Problem]) {
        let open = findings.indices.filter { index in
            let finding = findings[index]
            return finding.level == .observation && finding.cause == nil
                && (finding.trend != nil || finding.symptom == .slow)
        }
        var origins: [Int: Int] = [:]
        for index in open {
            let observed = findings[index]
            if let problem = findings.first(where: { isExplained(observed, by: $0) }) {
                findings[index].cause = problem.cause ?? problem.key
            } else {
                origins[index] = open.first { $0 != index && follows(observed, from: findings[$0]) }
            }
        }
        for index in open where findings[index].cause == nil {
            var (origin, steps) = (index, 0)
            while let next = origins[origin], steps < open.count { (origin, steps) = (next, steps + 1) }
            // A circle has no origin.
            guard origin != index, origins[origin] == nil else { continue }
            findings[index].cause = findings[origin].cause ?? findings[origin].key
        }
    }

    /// Whether a problem says the same of the component, or explains it; or the component is no longer called because of a
    /// problem of one that called it, directly or not.
    private mutating func isExplained(_ observed: Problem, by problem: Problem) -> Bool {
        guard let detector = observed.trend, problem.level != .observation,
            detector.explanations.contains(problem.kind)
        else { return false }
        if let component = problem.component, component == observed.component { return true }
        if !Set(problem.subjects).isDisjoint(with: observed.subjects) { return true }
        guard detector == .silence, let own = subjects(observed).first else { return false }
        return subjects(problem).contains { search.dependencies(of: $0).contains(own) }
    }

    /// Whether an observation follows from another one. Which calls a slow component waited for was measured; one that
    /// waits for calls that hang hangs itself, and its calls in flight become more.
    private mutating func follows(_ observed: Problem, from other: Problem) -> Bool {
        guard let own = subjects(observed).first, let origin = subjects(other).first else { return false }
        switch (observed.trend, other.trend) {
        case (.silence, .silence): return search.dependencies(of: origin).contains(own)
        case (.failing, .failing), (.hang, .hang), (.backlog, .backlog):
            return search.dependencies(of: own).contains(origin)
        case (.backlog, .hang): return own == origin || search.dependencies(of: own).contains(origin)
        case (.wait, _): return false
        default:
            guard observed.symptom == .slow, other.symptom == .slow, own != origin else { return false }
            return times.shares(of: [own], in: origin)[own] ?? 0 > 0.5
        }
    }
}

/// Whether something is unusual. It is after two judgements in a row, until a minute has passed without a sign of it. What
/// has lasted for an hour is usual.
package struct TrendAlarm: Sendable, Hashable {
    private static let patience = 60.0
    private static let memory = 3_600.0

    /// When it was first suspected, in seconds; nil while nothing is unusual.
    package private(set) var since: Double?
    private var suspected: Double?
    private var seen = 0.0

    /// Whether nothing is unusual or suspected.
    var isQuiet: Bool { since == nil && suspected == nil }

    /// - Parameters:
    ///   - begins: Whether there is evidence.
    ///   - lasts: Whether there is enough of it for what was already found. Implied by `begins`.
    mutating func judge(at now: Double, begins: Bool, lasts: Bool) {
        if let since {
            if lasts { seen = now }
            if now - seen >= Self.patience || now - since >= Self.memory { self = TrendAlarm() }
        } else {
            if begins { (since, seen) = (suspected, now) }
            suspected = begins ? now : nil
        }
    }
}

/// Shares that chance does not explain.
enum RareShare {
    /// An upper bound of a share that was k of n: (k + 3√(k + 1) + 3) / n, 0...1. The true share is higher with probability
    /// 3·10⁻³ at most.
    static func highest(_ count: Double, of total: Double) -> Double {
        min(1, (count + 3 * (count + 1).squareRoot() + 3) / max(1, total))
    }

    /// Whether a share p explains k of n with probability at most 10⁻⁶: n · KL(k / n ‖ p) ≥ 13.8. That is Chernoff's bound of the
    /// binomial tail, about ten times the tail itself.
    static func isBeyond(_ count: Double, of total: Double, _ expected: Double) -> Bool {
        let share = count / max(1, total)
        guard share > expected else { return false }
        let other = share < 1 ? (1 - share) * log((1 - share) / (1 - expected)) : 0
        return total * (share * log(share / expected) + other) >= 13.8
    }
}
