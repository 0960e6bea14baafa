// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

@Suite("Rate limiter")
struct RateLimiterTests {
    @Test(
        "A bucket equals the virtual schedule in 128 bits, over random histories with a clock that goes back (NAV-09)"
    )
    func model() throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(20_000) {
            let history = RateHistory(using: &generator)
            var bucket = history.makeBucket()
            var reference = VirtualSchedule(history)
            for now in history.instants {
                let expected = reference.take(at: now)
                try #require(bucket.take(at: now) == expected, "\(history)")
            }
        }
    }

    @Test("No period has more requests than its capacity and its refill allow (NAV-09)")
    func everyWindow() {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(2_000) {
            let history = RateHistory(using: &generator)
            var bucket = history.makeBucket()
            var latest = history.start
            var admitted: [Instant] = []
            for now in history.instants {
                latest = max(latest, now)
                if bucket.take(at: now) == .admitted { admitted.append(latest) }
            }
            #expect(history.firstExcess(admitted) == nil, "\(history)")
        }
    }

    @Test("A request after the stated wait is admitted, and one nanosecond earlier it is not (NAV-09)")
    func waits() {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<TestScale.count(20_000) {
            let history = RateHistory(using: &generator)
            var bucket = history.makeBucket()
            for now in history.instants {
                guard case .wait(let wait) = bucket.take(at: now) else { continue }
                let due = now.advanced(by: wait)
                var (early, inTime) = (bucket, bucket)
                #expect(wait > .zero && inTime.take(at: due) == .admitted, "\(history)")
                #expect(early.take(at: due.advanced(by: .nanoseconds(-1))) == .wait(.nanoseconds(1)), "\(history)")
            }
        }
    }

    @Test("A million requests of one nanosecond's distance do not drift: each token of the refill is found (NAV-09)")
    func noDrift() {
        let start = Instant(nanoseconds: -500_000)
        var bucket = TokenBucket(capacity: 5, refill: 3, per: .nanoseconds(1_007), at: start)
        var admitted = 0
        for step in 0...1_000_000 {
            let now = start.advanced(by: .nanoseconds(step))
            if bucket.take(at: now) == .admitted { admitted += 1 }
        }
        #expect(admitted == 5 + 3_000_000 / 1_007)
    }

    @Test("A bucket is full after any pause, at the ends of the range of time too")
    func extremes() {
        let ends = (Instant(nanoseconds: .min), Instant(nanoseconds: .max))
        var bucket = TokenBucket(capacity: 1_000_000, refill: 1_000_000, per: .seconds(3_600), at: ends.0)
        #expect(bucket.take(at: ends.0) == .admitted && bucket.tokens(at: ends.0) == 999_999)
        #expect(bucket.tokens(at: ends.1) == 1_000_000)
        #expect(bucket.tokens(at: ends.0) == 1_000_000)
        let clamped = TokenBucket(capacity: -1, refill: 0, per: .zero, at: ends.0)
        #expect(clamped.capacity == 1 && clamped.refill == 1 && clamped.interval == .microseconds(1))
    }

    @Test("A limiter rejects with the time after which to try again, and advises a retry to wait so long")
    func rejection() async throws {
        let time = ManualTime()
        let limiter = try RateLimiter("search", 2, per: .seconds(1), clock: .manual(time))
        let probe = Probe()
        for _ in 0..<2 { try await limiter.run { try await probe.track { _ in } } }
        let error = await #expect(throws: RateLimitError.self) {
            try await limiter.run { try await probe.track { _ in } }
        }
        #expect(error?.message == "search: too many calls; try again in 500 ms")
        #expect(error?.retryAdvice == .retry(after: .milliseconds(500)))
        #expect(probe.calls == 2 && limiter.counts == (2, 1))
        time.advance(by: .milliseconds(500))
        #expect(limiter.take() == .admitted && limiter.take() == .wait(.milliseconds(500)))
        #expect(limiter.describedOutline == "RateLimiter \"search\": 2 per 1.0 seconds")
    }

    @Test("Threads that share a limiter get exactly its tokens")
    func threads() async throws {
        let limiter = try RateLimiter("shared", 1_000, per: .seconds(1), clock: .manual(ManualTime()))
        let admitted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<500).reduce(0) { sum, _ in sum + (limiter.take() == .admitted ? 1 : 0) } }
            }
            return await group.reduce(0, +)
        }
        #expect(admitted == 1_000 && limiter.counts == (1_000, 3_000))
    }

    @Test("Values out of range are refused, with the name of the limiter and of the value")
    func invalid() {
        for count in [0, -1, 1_000_001, .max, .min] {
            #expect(throws: ResilienceError.self) { try RateLimiter("r", count, per: .seconds(1)) }
            #expect(throws: ResilienceError.self) { try RateLimiter("r", 1, per: .seconds(1), burst: count) }
        }
        for interval in [Duration.zero, .seconds(-1), .nanoseconds(999), .seconds(3_601)] {
            #expect(throws: ResilienceError.self) { try RateLimiter("r", 1, per: interval) }
        }
        #expect(throws: ResilienceError.self) { try RateLimiter("", 1, per: .seconds(1)) }
        let error = #expect(throws: ResilienceError.self) { try RateLimiter("search", 0, per: .seconds(1)) }
        #expect(error?.message == "RateLimiter \"search\": count is 0; it has to be in 1...1,000,000")
    }
}

/// A bucket and the instants of its requests.
private struct RateHistory: CustomStringConvertible {
    let capacity: Int
    let refill: Int
    let interval: Int64
    let start: Instant
    let instants: [Instant]

    init(using generator: inout SplitMix64) {
        let large = Bool.random(using: &generator)
        capacity = .random(in: 1...(large ? 1_000_000 : 5), using: &generator)
        refill = .random(in: 1...(large ? 1_000_000 : 5), using: &generator)
        interval = .random(in: 1_000...(large ? 3_600_000_000_000 : 2_000), using: &generator)
        start = Instant(nanoseconds: .random(in: -1_000_000_000...1_000_000_000, using: &generator))
        var instants = [start]
        for _ in 0..<40 {
            let longest = Bool.random(using: &generator) ? 2 * interval : interval / Int64(refill) + 2
            let step = Int64.random(in: 0...longest, using: &generator)
            let sign: Int64 = Int.random(in: 0..<10, using: &generator) == 0 ? -1 : 1
            instants.append(instants[instants.count - 1].advanced(by: .nanoseconds(sign * step)))
        }
        self.instants = instants
    }

    func makeBucket() -> TokenBucket {
        TokenBucket(capacity: capacity, refill: refill, per: .nanoseconds(interval), at: start)
    }

    /// The first two requests between which there were more than allowed. The instants do not go back.
    func firstExcess(_ admitted: [Instant]) -> (Instant, Instant)? {
        for (first, from) in admitted.enumerated() {
            for (last, to) in admitted.enumerated() where last >= first {
                let used = Int128(last - first + 1) * Int128(interval)
                let allowed = Int128(capacity) * Int128(interval) + Int128(refill) * Int128(to.nanoseconds(since: from))
                if used > allowed { return (from, to) }
            }
        }
        return nil
    }

    var description: String {
        "capacity \(capacity), \(refill) per \(interval) ns, at \(instants.map(\.nanoseconds))"
    }
}

/// The virtual scheduling form of the generic cell rate algorithm (ITU-T I.371), which has no level: it stores the
/// instant at which the next request would be exactly on time. All times are multiplied by the refill.
private struct VirtualSchedule {
    private let refill: Int128
    private let interval: Int128
    private let tolerance: Int128
    private var expected: Int128
    private var latest: Int64

    init(_ history: RateHistory) {
        refill = Int128(history.refill)
        interval = Int128(history.interval)
        tolerance = Int128(history.capacity - 1) * interval
        latest = history.start.nanoseconds
        expected = Int128(latest) * refill
    }

    mutating func take(at now: Instant) -> RateDecision {
        latest = max(latest, now.nanoseconds)
        let due = expected - tolerance
        let scaled = Int128(latest) * refill
        guard scaled < due else {
            expected = max(expected, scaled) + interval
            return .admitted
        }
        let rest = (due - scaled + refill - 1) / refill
        return .wait(.nanoseconds(Int64(rest) + latest - now.nanoseconds))
    }
}
