// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// Everything a circuit breaker knows of itself at one instant, read at once: what metrics and dashboards show.
public struct CircuitSummary: Sendable {
    /// How often a transition was made.
    public struct TransitionCount: Hashable, Sendable {
        /// The transition.
        public let edge: CircuitEdge
        /// How often it was made.
        public let count: Int
        /// How often it would have been made, in shadow mode.
        public let shadowCount: Int
    }

    /// The breaker's name.
    public let name: String
    /// The instant to which everything here belongs.
    public let instant: Instant
    /// What the breaker does with calls.
    public let state: CircuitState
    /// What an enforcing breaker would do: closed, open or half-open. In shadow mode this is the interesting one; else
    /// it says what ``state`` says, or closed where an operator has overruled the breaker.
    public let decidedState: CircuitState
    /// How often evidence was begun anew. A permit of an earlier generation decides nothing.
    public let generation: UInt64
    /// All calls since the beginning.
    public let counts: CircuitCounts
    /// The calls in the window.
    public let window: WindowSummary
    /// How full the window is, 0...1: of a count window, the places that are taken; of a time window, the part of its
    /// length that has passed since it was begun.
    public let windowFill: Double
    /// The share of failures in the window, 0...1; nil while it holds fewer calls than the minimum.
    public let failureRatio: Double?
    /// The share of slow calls, those in flight included, 0...1; nil while there are fewer calls than the minimum, and
    /// where no call is slow because no duration is configured.
    public let slowRatio: Double?
    /// The time spent in each state up to ``instant``, all six present.
    public let timeInState: [CircuitState: Duration]
    /// Every transition of ``CircuitEdge/all``, in that order, those that were never made with 0.
    public let transitions: [TransitionCount]
    /// When the open time is over, later than ``instant``; nil unless the decided state is open.
    public let openUntil: Instant?
    /// What is left of the open time, more than zero; nil unless the decided state is open.
    public let openRemaining: Duration?
    /// Probes in flight that hold a half-open permit.
    public let halfOpenPermitsInUse: Int
    /// The share of calls that is admitted while they are readmitted step by step; nil at other times.
    public let rampShare: Double?
    /// Transitions that slow subscribers and observers have missed.
    public internal(set) var droppedEvents = 0
}
