// SPDX-License-Identifier: Apache-2.0

/// How often a component was called in each minute of the last hour, and whether its calls have stopped. At most 0.5 kB.
///
/// Calls have stopped if each minute that is known before the last call, at least ten, had calls, and none came since for
/// - a minute, and three times the longest gap of the last half hour at least, for calls that come in groups or by a timer.
/// - so long that a Poisson process with the rate of the *least* of those minutes would do so with probability 10⁻⁶:
///   rate · gap ≥ 13.8. The true rate is higher than that of the least minute. One call a second has 40 in its least
///   minute, and a minute without any has probability 10⁻²⁶; a component with a call in each minute must be silent for 14.
package struct SilenceTrend: Sendable {
    static let capacity = 60
    private static let (leastMinutes, leastGap, mostGap) = (10, 60.0, 3_600.0)

    private var minutes: [Float] = []
    private var present: Float = 0
    /// The latest minute with calls, which may be the one in which they stopped, and the empty ones after it.
    private var latest: Float = 0
    private var empty = 0
    /// The longest gaps between calls in this half hour and in the one before, in seconds.
    private var gaps = SIMD2<Float>(0, 0)
    private var closed = 0
    package private(set) var lastCall: Double?

    package init() {}

    /// Whether each minute that is known, at least ten, had calls.
    var isSteady: Bool { minutes.count >= Self.leastMinutes && !minutes.contains(0) }

    /// Calls a second in the last ten minutes with calls.
    package var rate: Double { Double(minutes.suffix(10).reduce(0, +)) / (60 * Double(max(1, min(10, minutes.count)))) }

    /// Calls a second in the last whole minute.
    var presentRate: Double { empty == 0 ? Double(latest) / 60 : 0 }

    /// Adds the calls of the last ten seconds; `closes` if a minute ends.
    package mutating func add(calls: Double, at now: Double, closes: Bool) {
        if calls > 0 {
            if let lastCall { gaps[0] = max(gaps[0], Float(now - lastCall)) }
            lastCall = now
            present += Float(calls)
        }
        guard closes else { return }
        closed += 1
        if closed.isMultiple(of: 30) { gaps = SIMD2(0, gaps[0]) }
        // The first minute is not whole.
        guard present > 0, closed > 1 else {
            (present, empty) = (0, empty + 1)
            return
        }
        if latest > 0 {
            let known = minutes + [latest] + Array(repeating: 0, count: min(empty, Self.capacity))
            minutes = known.suffix(Self.capacity)
        }
        (latest, present, empty) = (present, 0, 0)
    }

    /// Whether calls that were steady have stopped.
    package func isSilent(at now: Double) -> Bool {
        guard let lastCall, isSteady, let least = minutes.min() else { return false }
        let gap = now - lastCall
        return gap >= max(Self.leastGap, 3 * Double(gaps.max())) && gap <= Self.mostGap
            && gap * Double(least) / 60 >= 13.8
    }
}
