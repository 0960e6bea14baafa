// SPDX-License-Identifier: Apache-2.0

/// The signals of one orchestrator's validations, one for each rule. Bound at the first validation.
struct ViolationGauges: Sendable {
    static let family = SignalFamily(
        "axiom_architecture_violations",
        .gauge,
        help: "Violations of the architecture's rules that the latest validation found.",
        labels: ["rule", "severity"]
    )

    private let gauges: [(rule: String, signal: any Signal)]

    init(_ identity: ComponentIdentity) {
        gauges = ArchitectureRule.allCases.compactMap { rule in
            let values = [rule.rawValue, rule.severity.rawValue]
            return identity.signal(Self.family, values).map { (rule.rawValue, $0) }
        }
    }

    func set(_ violations: [ArchitectureViolation]) {
        let counts = violations.reduce(into: [:]) { $0[$1.rule, default: 0] += 1 }
        for (rule, signal) in gauges { signal.set(Double(counts[rule, default: 0])) }
    }
}
