// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The signals of the deep links of one flow.
struct LinkSignals: Sendable {
    /// The outcome of a link.
    enum Outcome: String, CaseIterable {
        /// Its routes are shown, or middleware chose another route, such as a sign-in.
        case opened
        /// Middleware or the flow refused.
        case refused
        /// It is invalid, no pattern matches, or the link has no routes.
        case unknown
        /// The link, middleware or the transition threw an error.
        case failed
    }

    static let family = SignalFamily(
        "axiom_deep_links_total",
        .counter,
        help: "Deep links by the pattern that matched, and by what became of them.",
        labels: ["pattern", "outcome"]
    )
    /// The pattern of links that match none.
    static let noPattern = "none"

    /// By the pattern and the outcome. Empty if nothing observes.
    private let known: [[Outcome: any Signal]]
    private let unmatched: [Outcome: any Signal]

    /// Binds all signals: four for each pattern.
    @MainActor
    init(_ orchestrator: Orchestrator, patterns: [String]) {
        known = patterns.map { Self.family.signals(after: [$0], orchestrator.signal) }
        unmatched = Self.family.signals(after: [Self.noPattern], orchestrator.signal)
    }

    func count(_ pattern: Int?, _ outcome: Outcome) {
        let signals = pattern.map { known[$0] } ?? unmatched
        signals[outcome]?.add(1)
    }
}
