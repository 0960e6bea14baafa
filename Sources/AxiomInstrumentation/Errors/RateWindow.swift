// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The rate of events over the last 15 minutes, in steps of 10 seconds. About 400 bytes.
struct RateWindow: Sendable {
    private static let step = Duration.seconds(10)
    private static let stepsPerMinute = 6

    private var counts: RollingWindow<UInt32>

    init(at instant: Instant) {
        counts = RollingWindow(step: Self.step, capacity: 15 * Self.stepsPerMinute, empty: 0, at: instant)
    }

    mutating func add(at instant: Instant) {
        counts.advance(to: instant)
        counts.current &+= 1
    }

    /// The events per second over the last `minutes`, 1...15: those in the current step and in the complete steps
    /// before it, divided by the time that these steps cover so far.
    func perSecond(minutes: Int, at instant: Instant) -> Double {
        let steps = min(counts.capacity, minutes * Self.stepsPerMinute)
        var total: UInt64 = 0
        counts.forEach(inLast: steps, at: instant) { total += UInt64($0) }
        let complete = Self.step * (steps - 1)
        return Double(total) / (complete + .nanoseconds(counts.elapsed(at: instant))).inSeconds
    }
}
