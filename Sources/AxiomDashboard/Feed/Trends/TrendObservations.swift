// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A detector that needs no limit of the application.
enum TrendDetector: String, Sendable, Hashable {
    case latency, wait, failing, growth, silence

    fileprivate var kind: ProblemKind {
        switch self {
        case .latency, .wait: .slow
        case .failing: .failing
        case .growth: .growth
        case .silence: .silence
        }
    }

    fileprivate var symptom: Symptom {
        switch self {
        case .latency, .wait: .slow
        case .failing: .failingShare
        case .growth, .silence: .other
        }
    }

    /// The problems of the same component that say the same or explain it.
    fileprivate var explanations: Set<ProblemKind> {
        switch self {
        case .latency, .wait: [.slow, .budget, .regression, .failing, .action]
        case .failing: [.failing, .error, .circuit, .capability, .action]
        case .growth: [.leak, .budget]
        case .silence: [.failing, .error, .circuit, .capability, .action]
        }
    }
}

// MARK: - The sentences

extension TrendSubject {
    /// Empty for what belongs to no component.
    fileprivate var component: String {
        switch self {
        case .operation(let name, _), .component(let name), .state(let name), .instances(let name), .inFlight(let name),
            .actor(let name):
            name
        case .pool, .gauge, .process: ""
        }
    }

    /// Identifies the subject within the keys of a detector.
    fileprivate var key: String {
        switch self {
        case .pool(let name): "pool/\(name)"
        case .gauge(let family, let label): "\(family)/\(label)"
        case .process: "process"
        default: component
        }
    }
}

extension TrendFinding {
    fileprivate var detector: TrendDetector {
        switch (change, subject) {
        case (.slow, .operation): .latency
        case (.slow, _): .wait
        case (.failing, _): .failing
        case (.growth, _): .growth
        case (.silence, _): .silence
        }
    }

    /// Which of several findings of one component is shown.
    fileprivate var weight: Double {
        switch change {
        case .slow(let now, let before): now / max(1e-6, before)
        case .failing(let now, let before): now - before
        case .growth(let from, let to, _): to / max(1, from)
        case .silence(let rate, _): rate
        }
    }

    /// Whether a median is more than three times as long as before, and 200 ms more than that. Threads that wait for two
    /// thirds of the time make work three times as long; 200 ms are left for threads that wake up.
    var isBeyondMachine: Bool {
        if case .slow(let now, let before) = change { now > 3 * before + 0.2 } else { false }
    }

    /// Such as `MapClient's state grew from 1.1 MB to 3.2 MB in 6 minutes`.
    ///
    /// - Parameter past: Whether it has ended.
    fileprivate func text(past: Bool) -> String {
        switch change {
        case .slow(let now, let before):
            let (now, before) = (QuantityText.seconds(now), QuantityText.seconds(before))
            return "\(slowness(now, past)) at the median, \(before) in the hour before"
        case .failing(let now, let before):
            let (now, before) = (QuantityText.percentage(now), QuantityText.percentage(before))
            return "\(name) \(past ? "failed" : "fails") in \(now) of its calls, \(before) in the hour before"
        case .growth(let from, let to, let seconds):
            let minutes = Int((seconds / 60).rounded())
            return "\(level) grew from \(quantity(from)) to \(quantity(to)) in \(minutes) minutes"
        case .silence(let rate, let until):
            let often = "\(name) was called \(QuantityFormat.number(rate.significant(2))) times a second"
            let time = QuantityText.moment(until).dropFirst(11).prefix(8)
            return "\(often) until \(time) UTC, and \(past ? "then not for a while" : "not since")"
        }
    }

    private func slowness(_ time: String, _ past: Bool) -> String {
        switch subject {
        case .actor(let client): "Calls of \(client) \(past ? "waited" : "wait") \(time) for its actor"
        case .pool(let pool): "Calls \(past ? "waited" : "wait") \(time) for a connection of pool \(pool)"
        default: "\(name) \(past ? "took" : "takes") \(time)"
        }
    }

    private var name: String {
        guard case .operation(let component, let operation) = subject else { return subject.component }
        return "\(component).\(operation)"
    }

    private var level: String {
        switch subject {
        case .state(let client): "\(client)'s state"
        case .instances(let component): "Living instances of \(component)"
        case .inFlight(let component): "Calls of \(component) in flight"
        case .gauge(let family, let label): "\(family) of \(label)"
        default: "The memory of the process"
        }
    }

    private func quantity(_ level: Double) -> String {
        switch subject {
        case .state, .process: QuantityFormat.size(level)
        default: QuantityFormat.number(level)
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

extension Problem {
    /// Whether a problem says the same of the component as this observation, or explains it.
    fileprivate func isExplained(by problem: Problem, _ detector: TrendDetector) -> Bool {
        guard problem.level != .observation, detector.explanations.contains(problem.kind) else { return false }
        return problem.component.map { $0 == component } ?? false || !problem.subjects.filter(subjects.contains).isEmpty
    }
}

extension CauseFolding {
    /// Observations follow from a problem of the same component. Of those that no problem explains, one that takes longer
    /// or fails follows from one below it, and one that is no longer called from one above it.
    mutating func addTrends(to findings: inout [Problem]) {
        let open = findings.indices.filter { findings[$0].trend != nil && findings[$0].cause == nil }
        var origins: [Int: Int] = [:]
        for index in open {
            let trend = findings[index]
            guard let detector = trend.trend else { continue }
            if let problem = findings.first(where: { trend.isExplained(by: $0, detector) || stops(trend, $0) }) {
                findings[index].cause = problem.cause ?? problem.key
            } else {
                origins[index] = open.first { $0 != index && follows(trend, from: findings[$0]) }
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

    /// Whether a component is no longer called because of a problem of one that called it, directly or not.
    private mutating func stops(_ trend: Problem, _ problem: Problem) -> Bool {
        guard trend.trend == .silence, problem.level != .observation, let own = subjects(trend).first,
            TrendDetector.silence.explanations.contains(problem.kind)
        else { return false }
        return subjects(problem).contains { search.dependencies(of: $0).contains(own) }
    }

    private mutating func follows(_ trend: Problem, from other: Problem) -> Bool {
        guard trend.trend == other.trend, let own = subjects(trend).first, let origin = subjects(other).first else {
            return false
        }
        switch trend.trend {
        case .latency: return times.shares(of: [own], in: origin)[own] ?? 0 > 0.5
        case .failing: return search.dependencies(of: own).contains(origin)
        case .silence: return search.dependencies(of: origin).contains(own)
        case .wait, .growth, nil: return false
        }
    }
}
