// SPDX-License-Identifier: Apache-2.0

/// A point in monotonic time, in whole nanoseconds since the origin of its ``TimeSource``.
///
/// Instants are comparable only with instants of the same time source. 64 bits of nanoseconds cover 292 years in each
/// direction from the origin.
public struct Instant: InstantProtocol, Sendable, Hashable {
    /// Nanoseconds since the origin of the time source.
    public let nanoseconds: Int64

    /// Makes an instant from nanoseconds since the origin of the time source.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the left instant is earlier than the right one.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The nanoseconds from `earlier` to this instant; negative if `earlier` is later.
    package func nanoseconds(since earlier: Instant) -> Int64 { nanoseconds &- earlier.nanoseconds }

    /// The seconds from `earlier` to this instant; negative if `earlier` is later.
    package func seconds(since earlier: Instant) -> Double {
        Double(nanoseconds(since: earlier)) * 1e-9
    }

    /// The duration from `earlier` to this instant; negative if `earlier` is later.
    public func duration(since earlier: Instant) -> Duration {
        .nanoseconds(nanoseconds(since: earlier))
    }

    /// The duration from this instant to `other`; negative if `other` is earlier.
    public func duration(to other: Instant) -> Duration { other.duration(since: self) }

    /// The instant `duration` after this one, clamped to the representable range.
    ///
    /// A deadline that was clamped is 292 years away and is never reached.
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return Instant(nanoseconds: duration < .zero ? .min : .max)
    }
}

extension Duration {
    /// The duration in seconds, as the nearest `Double`.
    @usableFromInline
    package var inSeconds: Double {
        // The components of a longer duration do not fit: it is the sum of several.
        guard magnitude < .seconds(Int64.max) else { return self / .seconds(1) }
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The duration in whole nanoseconds, rounded towards zero and clamped to the range of `Int64` (±292 years).
    @usableFromInline
    package var clampedNanoseconds: Int64 {
        guard self < .nanoseconds(Int64.max) else { return .max }
        guard self > .nanoseconds(Int64.min) else { return .min }
        let (seconds, attoseconds) = components
        // Both have the same sign, and their sum is in the range.
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private var magnitude: Duration { self < .zero ? .zero - self : self }
}
