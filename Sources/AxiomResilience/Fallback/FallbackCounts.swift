// SPDX-License-Identifier: Apache-2.0

/// How the calls through a ``Fallback`` ended since it was made, all at one instant. Totals never fall.
public struct FallbackCounts: Hashable, Sendable {
    /// The operation succeeded.
    public internal(set) var fresh = 0
    /// A remembered value was served.
    public internal(set) var remembered = 0
    /// The closure's value was served.
    public internal(set) var substitute = 0
    /// The call failed: nothing could be served, or not for this error.
    public internal(set) var failed = 0
    /// The call was cancelled.
    public internal(set) var cancelled = 0
    /// The call failed, and would have returned another type than the one the fallback has values of.
    public internal(set) var otherType = 0

    /// Calls that were answered in the operation's place.
    public var served: Int { remembered + substitute }

    /// Every count by its name, as metrics label it in snake case.
    package var byOutcome: [(outcome: String, count: Int)] {
        [
            ("fresh", fresh), ("remembered", remembered), ("substitute", substitute), ("failed", failed),
            ("cancelled", cancelled), ("other_type", otherType),
        ]
    }
}

/// A ``Fallback`` of any type of values, for those that only count.
package protocol CountedFallback: ResilienceStrategy, AnyObject {
    /// The name that events and metrics show.
    var name: String { get }
    /// How calls ended since the fallback was made.
    var counts: FallbackCounts { get }
}
