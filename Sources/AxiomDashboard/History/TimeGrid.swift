// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The whole seconds at which samples are due, by the wall clock as it was when the grid was laid: no drift, and no
/// jump while the wall clock is not set anew by more than two seconds.
struct TimeGrid: Sendable {
    private let clock: TimeSource
    private var anchor: Instant
    private var epoch: Double

    init(_ clock: TimeSource) {
        self.clock = clock
        (anchor, epoch) = Self.lay(clock)
    }

    private static func lay(_ clock: TimeSource) -> (Instant, Double) {
        let (now, wall) = (clock.now, clock.secondsSinceEpoch)
        let whole = wall.rounded(.down)
        return (now.advanced(by: .seconds(whole - wall)), whole)
    }

    /// Seconds since 1970.
    func seconds(_ instant: Instant) -> Double {
        epoch + instant.seconds(since: anchor)
    }

    /// The latest moment of the grid. Lays the grid anew when the wall clock was set.
    mutating func due() -> Double {
        if (clock.secondsSinceEpoch - seconds(clock.now)).magnitude > 2 { (anchor, epoch) = Self.lay(clock) }
        return epoch + Double(passed)
    }

    /// When the moment after the latest one is.
    var next: Instant {
        anchor.advanced(by: .seconds(passed + 1))
    }

    /// Whole seconds; counted in integers, so that a moment that has come is never taken for the one before.
    private var passed: Int64 {
        clock.now.nanoseconds(since: anchor) / 1_000_000_000
    }
}
