// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The signals of the application's life and of its saved state. Bound once; the duration of a step when it ends.
@MainActor
struct LifeSignals {
    static let phase = SignalFamily(
        "axiom_lifecycle_phase",
        .gauge,
        help: "Whether the application is in this phase now: 1 or 0.",
        labels: ["phase"]
    )
    static let duration = SignalFamily(
        "axiom_lifecycle_transition_duration_seconds",
        .seconds,
        help: "Duration of a step to a phase, by the phase.",
        labels: ["to"]
    )
    static let overdue = SignalFamily(
        "axiom_lifecycle_overdue_total",
        .counter,
        help: "Steps of a change of phase that did not end within the grace time and were cancelled.",
        labels: ["step"]
    )
    static let imageBytes = SignalFamily(
        "axiom_state_image_bytes",
        .gauge,
        help: "Size of the image of the application's state that was saved last."
    )
    static let images = SignalFamily(
        "axiom_state_image_total",
        .counter,
        help: "Images of the application's state that were saved or loaded, by the outcome.",
        labels: ["operation", "outcome"]
    )

    enum Outcome: String, CaseIterable {
        case success
        case failure
        /// There was no image to load.
        case none
        /// An image could not be used.
        case setAside = "set_aside"
    }

    private let phases: [AppPhase: any Signal]
    private let orchestrator: Orchestrator
    private let steps: [AppLifecycle.Step: any Signal]
    private let size: (any Signal)?
    private let saves: [Outcome: any Signal]
    private let loads: [Outcome: any Signal]

    init(_ orchestrator: Orchestrator) {
        phases = Self.phase.signals(orchestrator.signal)
        self.orchestrator = orchestrator
        steps = Self.overdue.signals(orchestrator.signal)
        size = orchestrator.signal(Self.imageBytes)
        saves = Dictionary(
            uniqueKeysWithValues: [Outcome.success, .failure].compactMap { outcome in
                orchestrator.signal(Self.images, ["save", outcome.rawValue]).map { (outcome, $0) }
            }
        )
        loads = Self.images.signals(after: ["load"], orchestrator.signal)
        show(.launching)
    }

    func show(_ phase: AppPhase) {
        for (other, signal) in phases { signal.set(other == phase ? 1 : 0) }
    }

    func stepped(to phase: AppPhase, nanoseconds: Int64) {
        orchestrator.signal(Self.duration, [phase.rawValue])?.observe(nanoseconds: nanoseconds)
    }

    func overdue(_ step: AppLifecycle.Step) { steps[step]?.add(1) }
    func loaded(_ outcome: Outcome, _ count: Int = 1) { loads[outcome]?.add(count) }
    func saveFailed() { saves[.failure]?.add(1) }

    func saved(bytes: Int) {
        saves[.success]?.add(1)
        size?.set(Double(bytes))
    }
}
