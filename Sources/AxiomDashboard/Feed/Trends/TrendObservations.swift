// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

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
