// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// The outcome of a load. Each load that began has one of `used`, `failed` and `dropped` in the end; `loaded` is counted
/// in addition, when there is a value.
enum PrefetchOutcome: String, Sendable, Hashable, CaseIterable {
    /// The load ended with a value.
    case loaded
    /// A screen got the value.
    case used
    /// The loader threw or exceeded the time limit.
    case failed
    /// The load was cancelled, or no screen wanted the value in time.
    case dropped
}

/// Binds a signal of a family with label values, as `Orchestrator.signal(_:_:)` does.
package typealias SignalBinder = (SignalFamily, [String]) -> (any Signal)?

/// The signals of one prefetcher, bound once.
struct PrefetchSignals: Sendable {
    static let family = SignalFamily(
        "axiom_navigation_prefetch_total",
        .counter,
        help: "Loads for routes about to be shown, by outcome: loaded (has a value), and then used or dropped; "
            + "otherwise failed or dropped.",
        labels: ["flow", "route", "outcome"]
    )

    private let signals: [String: [PrefetchOutcome: any Signal]]

    /// Binds nothing.
    init() { signals = [:] }

    /// Binds the signals of the identifiers, and sets them to 0.
    init(flow: String, identifiers: Set<String>, _ bind: SignalBinder) {
        signals = identifiers.sorted().reduce(into: [:]) { signals, identifier in
            let bound: [PrefetchOutcome: any Signal] = Self.family.signals(after: [flow, identifier], bind)
            for signal in bound.values { signal.add(0) }
            signals[identifier] = bound
        }
    }

    /// Counts. An identifier that no sample with requirements has is not counted.
    func record(_ outcome: PrefetchOutcome, _ identifier: String) {
        signals[identifier]?[outcome]?.add(1)
    }
}
