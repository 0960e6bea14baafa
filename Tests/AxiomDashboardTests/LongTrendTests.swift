// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

extension SplitMix64 {
    fileprivate mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

    fileprivate mutating func exponential(_ mean: Double) -> Double { -mean * log(1 - unit()) }
}

/// Calls or instances that begin at random times and last as long as a test says.
private struct Arrivals {
    private(set) var begun: [Double] = []
    private(set) var ends: [Double] = []

    mutating func add(
        from start: Double,
        to end: Double,
        mean: Double,
        _ random: inout SplitMix64,
        lasts: (Double, inout SplitMix64) -> Double
    ) {
        var time = start + random.exponential(mean)
        while time < end {
            begun.append(time)
            ends.append(time + lasts(time, &random))
            time += random.exponential(mean)
        }
    }

    /// The numbers of those that last at a time and of those that have ended, and a quantile of how long these lasted.
    func counts(at now: Double, _ quantile: Double) -> (lasting: Double, ended: Double, longest: Double?) {
        let done = zip(begun, ends).filter { $1 <= now }.map { $1 - $0 }.sorted()
        let last = Int((quantile * Double(done.count)).rounded(.up)) - 1
        return (Double(begun.count - done.count), Double(done.count), done.isEmpty ? nil : done[max(0, last)])
    }

    /// How many last at a time that began in a time before it.
    func lasting(at now: Double, begunBefore ages: Range<Double>) -> Double {
        Double(zip(begun, ends).count { ages.contains(now - $0) && $1 > now })
    }
}

@Suite("Trends of what is long, hangs or lives on, without a limit", .timeLimit(.minutes(10)))
struct LongTrendTests {
    // MARK: - Long calls

    /// The first minute in which long calls were found, and the last one.
    private func tail(_ minutes: Int, _ durations: (Int) -> [Double]) -> (first: Int, last: Int)? {
        var (trend, found) = (TailTrend(), (first: 0, last: 0))
        for minute in 1...minutes {
            let all = durations(minute).sorted()
            let top = all.isEmpty ? 0 : all[max(0, Int((0.99 * Double(all.count)).rounded(.up)) - 1)]
            trend.close(calls: Double(all.count), top: top, at: Double(60 * minute)) { limit in
                Double(all.count { $0 > limit })
            }
            guard trend.alarm.since != nil else { continue }
            found = (found.first == 0 ? minute : found.first, minute)
        }
        return found.first == 0 ? nil : found
    }

    @Test("A long call now and then is nothing unusual, whatever the distribution", arguments: 0..<20)
    func healthy(_ run: Int) {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let (rate, index) = (Int.random(in: 1...200, using: &random), Double.random(in: 1...4, using: &random))
        let found = tail(240) { _ in
            (0..<Int.random(in: (rate / 2)...rate, using: &random)).map { _ in
                0.005 * pow(1 - random.unit(), -1 / index)
            }
        }
        #expect(found == nil, "seed \(seed), run \(run)")
    }

    @Test(
        "One minute of long calls is an event; one call in ten that is fifty times as long is found, each time it comes",
        arguments: 0..<10
    )
    func planted(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        func durations(_ calls: Int, _ isLong: Bool) -> [Double] {
            (0..<calls).map { _ in (isLong && random.unit() < 0.1 ? 0.5 : 0.01) * (0.5 + random.unit()) }
        }
        #expect(tail(60) { durations(90, $0 == 40) } == nil, "seed \(seed)")
        for calls in [60, 600] {
            let found = try #require(tail(60) { durations(calls, (31..<45).contains($0)) }, "seed \(seed)")
            #expect((32...37).contains(found.first) && (44...46).contains(found.last), "seed \(seed): \(found)")
            let again = try #require(tail(80) { durations(calls, (31..<37).contains($0) || $0 >= 60) }, "seed \(seed)")
            #expect(again.last == 80, "seed \(seed): \(again)")
        }
    }

    // MARK: - Calls that hang

    @Test(
        "Never more calls are said to hang than do; none of those that end, and a tenth that never ends is found",
        arguments: 0..<8
    )
    func hanging(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let (rate, mean) = (
            exp(Double.random(in: 0...1.5, using: &random)), exp(Double.random(in: -5...(-0.5), using: &random))
        )
        var (arrivals, trend, found) = (Arrivals(), HangTrend(), Double?.none)
        for now in stride(from: 10.0, through: 2_000, by: 10) {
            arrivals.add(from: now - 10, to: now, mean: 1 / rate, &random) { time, random in
                time > 1_200 && random.unit() < 0.1 ? .infinity : random.exponential(mean)
            }
            let counts = arrivals.counts(at: now, 0.999)
            trend.add(inFlight: counts.lasting, ended: counts.ended, longest: counts.longest ?? 0, at: now)
            guard trend.alarm.since != nil else { continue }
            if found == nil { found = now }
            let old = arrivals.lasting(at: now, begunBefore: trend.seconds..<2_000)
            #expect(trend.hanging <= old, "seed \(seed), run \(run), at \(now)")
        }
        let first = try #require(found, "seed \(seed), run \(run)")
        // The older a call must be, the longer it takes.
        #expect((1_220...1_900).contains(first), "seed \(seed), run \(run): \(first)")
    }

    @Test("Calls that hang until a time limit do not hide the next ones; what hangs for an hour is usual")
    func hangingAgain() {
        var (trend, found) = (HangTrend(), [Double]())
        for step in 1...1_000 {
            // In each step 20 calls begin, and in two times five of them hang: the first ones end after two minutes.
            let hanging = (60..<72).contains(step) ? 5 * (step - 59) : step >= 180 ? min(60, 5 * (step - 179)) : 0
            let wasQuiet = trend.alarm.since == nil
            trend.add(
                inFlight: Double(hanging),
                ended: Double(20 * step - hanging),
                longest: step < 72 ? 0.05 : 60,
                at: Double(10 * step)
            )
            if wasQuiet, trend.alarm.since != nil { found.append(Double(10 * step)) }
        }
        #expect(found.count == 2 && found[0] < 720 && (1_800..<1_900).contains(found[1]), "\(found)")
        #expect(trend.alarm.since == nil)
    }

    // MARK: - Instances that live on

    @Test(
        "Instances that come and go, or are kept from the beginning, are nothing unusual; those that no longer end are found",
        arguments: 0..<8
    )
    func lives(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let (rate, mean) = (Double.random(in: 0.1...1, using: &random), Double.random(in: 10...60, using: &random))
        let kept = Double.random(in: 0...0.2, using: &random)
        for leaking in [0, 0.7] {
            var (arrivals, trend, found) = (Arrivals(), LifeTrend(), Double?.none)
            for now in stride(from: 30.0, through: 5_400, by: 30) {
                arrivals.add(from: now - 30, to: now, mean: 1 / rate, &random) { time, random in
                    let isKept = random.unit() < (time > 1_800 ? max(kept, leaking) : kept)
                    return isKept ? .infinity : random.exponential(mean)
                }
                let longest = arrivals.counts(at: now, 0.99).longest
                trend.close(made: Double(arrivals.begun.count), longest: longest, at: now) { ages in
                    arrivals.lasting(at: now, begunBefore: ages)
                }
                if trend.alarm.since != nil, found == nil { found = now }
            }
            guard leaking > 0 else {
                #expect(found == nil, "seed \(seed), run \(run)")
                continue
            }
            let first = try #require(found, "seed \(seed), run \(run)")
            #expect((1_830...3_300).contains(first), "seed \(seed), run \(run): \(first)")
            #expect(trend.kept <= trend.total)
        }
    }
}
#endif
