// SPDX-License-Identifier: Apache-2.0

/// What a circuit breaker does with the next call. The raw values are the label values of metrics.
///
/// Time alone can change the state: from open to half-open, when the open time is over; from half-open to open, when a
/// probe exceeds its time limit; and to closed, when a ramp is complete. The breaker has no timer. Each call and each
/// reading of the state, the counts or the summary makes the changes that are due, and dates each to its instant.
public enum CircuitState: String, Sendable, Hashable, CaseIterable, Codable {
    /// Admits every call and watches how calls end.
    case closed
    /// Rejects every call until the open time is over.
    case open
    /// Admits a few probes, or a growing share of the calls, to find out whether to close.
    case halfOpen = "half_open"
    /// Rejects every call until an operator resets it.
    case forcedOpen = "forced_open"
    /// Admits every call and decides nothing until an operator resets it.
    case disabled
    /// Admits every call and counts what an enforcing breaker would have rejected.
    case shadow

    /// Whether a breaker in this state can be in `next` after one transition. A state is no successor of itself.
    public func canBecome(_ next: CircuitState) -> Bool {
        CircuitEdge.all.contains { $0.from == self && $0.to == next }
    }
}
