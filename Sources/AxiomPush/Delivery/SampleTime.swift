// SPDX-License-Identifier: Apache-2.0

/// The times of snapshots. Receivers need rising times, so a small step of the clock back is bridged; a larger one is followed,
/// because the samples of that time would otherwise have one moment in the future.
struct SampleTime: Sendable {
    /// The time of one snapshot.
    struct Reading: Hashable, Sendable {
        /// Seconds since 1970.
        let time: Double
        /// By how many seconds the clock is before the last time, if this one follows it; nil otherwise.
        let stepBack: Double?
    }

    /// The largest step back that is bridged, in seconds.
    static let bridgedStep = 10.0
    /// The time of the last snapshot, in seconds since 1970.
    private var last = -Double.infinity

    /// The time of a snapshot that is taken now.
    ///
    /// - Parameter now: The clock, in seconds since 1970.
    /// - Returns: `now`, or a millisecond after the last time if `now` is before that by at most ``bridgedStep``.
    mutating func next(at now: Double) -> Reading {
        let step = last - now
        let isFollowed = step > Self.bridgedStep
        last = isFollowed ? now : max(now, last + 0.001)
        return Reading(time: last, stepBack: isFollowed ? step : nil)
    }
}
