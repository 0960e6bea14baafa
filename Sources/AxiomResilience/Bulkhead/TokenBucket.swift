// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The answer of a ``RateLimiter`` to one request.
public enum RateDecision: Sendable, Hashable {
    /// The request is within the limit, and was counted.
    case admitted
    /// The request is beyond the limit, and was not counted. A request after this time is within the limit if no other
    /// request comes first.
    case wait(Duration)
}

/// A token bucket: it holds at most `capacity` tokens, gains `refill` tokens per `interval`, and each request takes one.
///
/// In any period of length t, at most `capacity` + `refill` × t / `interval` requests are admitted.
///
/// The arithmetic is exact. The level is counted in shares of a token: a token has as many shares as the interval has
/// nanoseconds, so each nanosecond adds exactly `refill` shares. Nothing is rounded, and nothing is lost between two
/// requests, however close they are.
package struct TokenBucket: Sendable, Hashable {
    /// The number of tokens in a full bucket.
    package let capacity: Int
    /// The number of tokens that are added per ``interval``.
    package let refill: Int
    /// The time in which ``refill`` tokens are added.
    package let interval: Duration

    /// The nanoseconds of the interval, which are the shares of one token.
    private let sharesPerToken: Int64
    /// In 0...``fullShares``.
    private var shares: Int64
    /// The latest instant at which the bucket was used. Never moves back.
    private var updated: Instant

    /// Makes a full bucket. Values out of range are clamped: ``RateLimiter`` checks them first.
    ///
    /// - Parameters:
    ///   - capacity: 1...1,000,000.
    ///   - refill: 1...1,000,000.
    ///   - interval: 1 µs...1 h. The largest level is then 3.6 × 10¹⁸ shares, which fits in 64 bits.
    ///   - start: The instant at which the bucket is full.
    package init(capacity: Int, refill: Int, per interval: Duration, at start: Instant) {
        self.capacity = min(max(capacity, 1), Self.mostTokens)
        self.refill = min(max(refill, 1), Self.mostTokens)
        self.interval = min(max(interval, Self.shortestInterval), Self.longestInterval)
        sharesPerToken = self.interval.clampedNanoseconds
        shares = Int64(self.capacity) * sharesPerToken
        updated = start
    }

    /// The most tokens that a bucket can hold, or gain per interval.
    package static let mostTokens = 1_000_000
    package static let shortestInterval = Duration.microseconds(1)
    package static let longestInterval = Duration.seconds(3_600)

    /// Takes a token if there is one.
    ///
    /// An instant before an earlier one adds no tokens and takes none away: the bucket continues to gain tokens when the
    /// clock passes the latest instant again. The wait includes that time.
    package mutating func take(at now: Instant) -> RateDecision {
        advance(to: now)
        guard shares < sharesPerToken else {
            shares -= sharesPerToken
            return .admitted
        }
        let missing = sharesPerToken - shares
        let nanoseconds = (missing + Int64(refill) - 1) / Int64(refill)
        return .wait(updated.duration(since: now) + .nanoseconds(nanoseconds))
    }

    /// The number of whole tokens at `now`.
    package mutating func tokens(at now: Instant) -> Int {
        advance(to: now)
        return Int(shares / sharesPerToken)
    }

    private var fullShares: Int64 { Int64(capacity) * sharesPerToken }

    private mutating func advance(to now: Instant) {
        guard now > updated else { return }
        let (elapsed, isTooLong) = now.nanoseconds.subtractingReportingOverflow(updated.nanoseconds)
        let (gain, isTooMuch) = elapsed.multipliedReportingOverflow(by: Int64(refill))
        updated = now
        if isTooLong || isTooMuch || gain >= fullShares - shares {
            shares = fullShares
        } else {
            shares += gain
        }
    }
}
