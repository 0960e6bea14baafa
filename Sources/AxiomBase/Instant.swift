// SPDX-License-Identifier: Apache-2.0

/// A point on a monotonic time line, in whole nanoseconds since an origin that only its ``TimeSource`` knows.
///
/// Instants of one time source are comparable with each other and with nothing else.
/// 64 bits of nanoseconds last 292 years from the origin.
public struct Instant: Sendable, Hashable, Comparable {
    /// Nanoseconds since the origin of the time source.
    public let nanoseconds: Int64

    /// Makes an instant from nanoseconds since the origin of the time source.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whether the left instant is earlier than the right one.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The nanoseconds from `earlier` to this instant; negative when `earlier` is in fact later.
    public func nanoseconds(since earlier: Instant) -> Int64 {
        nanoseconds &- earlier.nanoseconds
    }

    /// The seconds from `earlier` to this instant; negative when `earlier` is in fact later.
    public func seconds(since earlier: Instant) -> Double {
        Double(nanoseconds(since: earlier)) * 1e-9
    }

    /// The duration from `earlier` to this instant; negative when `earlier` is in fact later.
    public func duration(since earlier: Instant) -> Duration {
        .nanoseconds(nanoseconds(since: earlier))
    }

    /// The instant that lies `duration` after this one, held at the ends of the representable range.
    ///
    /// Saturation is exact for every use of a deadline: one that is 292 years away is never reached.
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        guard overflow else { return Instant(nanoseconds: sum) }
        return Instant(nanoseconds: duration < .zero ? .min : .max)
    }
}
