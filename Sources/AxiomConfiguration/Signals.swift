// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The result of reading a configuration again.
public enum ReloadOutcome: String, Sendable, Hashable, CaseIterable {
    /// No file has changed.
    case unchanged
    /// The new settings are in force.
    case applied
    /// The new settings are in force, except for those of a capability that refused them.
    case refused
    /// Some settings are missing or invalid, and none of them was applied.
    case invalid
    /// A file could not be read, and nothing was applied.
    case unreadable
}

/// The signals of one configuration.
struct ConfigurationSignals: Sendable {
    static let reloads = SignalFamily(
        "axiom_configuration_reloads_total",
        .counter,
        help: "How often a changed configuration was read again, by the outcome.",
        labels: ["outcome"]
    )
    static let generation = SignalFamily(
        "axiom_configuration_generation",
        .gauge,
        help: "How many configurations have been applied since the start of the process."
    )

    private let outcomes: [ReloadOutcome: any Signal]
    private let applied: (any Signal)?

    @MainActor
    init(_ orchestrator: Orchestrator) {
        outcomes = ReloadOutcome.allCases.reduce(into: [:]) { signals, outcome in
            guard outcome != .unchanged else { return }
            signals[outcome] = orchestrator.signal(Self.reloads, [outcome.rawValue])
        }
        applied = orchestrator.signal(Self.generation)
    }

    func count(_ outcome: ReloadOutcome) { outcomes[outcome]?.add(1) }
    func show(generation: Int) { applied?.set(Double(generation)) }
}
