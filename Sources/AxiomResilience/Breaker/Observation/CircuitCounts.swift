// SPDX-License-Identifier: Apache-2.0

/// How many calls a circuit breaker was offered since it was made, and what became of them.
///
/// At every instant ``offered`` is the sum of ``success``, ``failure``, ``ignored``, ``cancelled``, ``rejected`` and
/// ``inFlight``. All but ``inFlight`` and ``slowInFlight`` only ever grow; none is ever negative.
public struct CircuitCounts: Hashable, Sendable {
    /// Calls that asked to be admitted.
    public var offered: Int { success + failure + ignored + cancelled + rejected + inFlight }
    /// Calls that were admitted and have not settled.
    public internal(set) var inFlight = 0
    /// Calls that succeeded, slow ones included.
    public internal(set) var success = 0
    /// Calls that failed, slow ones included.
    public internal(set) var failure = 0
    /// Calls that say nothing about the health of what was called.
    public internal(set) var ignored = 0
    /// Calls that the caller gave up.
    public internal(set) var cancelled = 0
    /// Calls that were not admitted.
    public internal(set) var rejected = 0
    /// Of the calls that succeeded or failed, those that took `slowCallDuration` or longer.
    public internal(set) var slow = 0
    /// Of the calls in flight, those that have taken as long already and bear on the next decision. Each of them
    /// leaves this count when it settles, and is then counted in ``slow`` if it succeeded or failed.
    public internal(set) var slowInFlight = 0
    /// Calls that were admitted in shadow mode and that an enforcing breaker would have rejected. They are among the
    /// others.
    public internal(set) var shadowRejections = 0
    /// Calls that settled after their permit had lapsed: counted above by their outcome, and nothing was decided on them.
    public internal(set) var stale = 0
}
