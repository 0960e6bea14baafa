// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomDashboard

@Suite("Trends of numbers, without a limit", .timeLimit(.minutes(10)))
struct TrendTests {
    private typealias Found = (slow: Int?, failing: Int?)

    /// A minute of calls whose durations have a log-normal distribution.
    private func minute(_ random: inout SplitMix64, _ calls: Int, factor: Double, failing: Double) -> CallMinute {
        let durations = (0..<calls).map { _ in
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            return 0.02 * factor * exp(0.6 * normal)
        }.sorted()
        return CallMinute(
            calls: Double(calls),
            failures: Double((0..<calls).count { _ in Double.random(in: 0..<1, using: &random) < failing }),
            median: durations.isEmpty ? 0 : durations[(calls - 1) / 2],
            high: durations.isEmpty ? 0 : durations[(calls - 1) * 9 / 10]
        )
    }

    /// The first minutes in which calls were found to be slow and to fail.
    private func found(_ minutes: Int, _ calls: (Int) -> CallMinute) -> Found {
        var (trend, found) = (CallTrend(), Found(nil, nil))
        for minute in 1...minutes {
            trend.add(calls(minute), at: Double(60 * minute), closes: true)
            if trend.slow.since != nil, found.slow == nil { found.slow = minute }
            if trend.failing.since != nil, found.failing == nil { found.failing = minute }
        }
        return found
    }

    @Test("Calls that stay as they are, or become half as slow again, are nothing unusual", arguments: 0..<20)
    func healthy(_ run: Int) {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let rate = Int.random(in: 1...120, using: &random)
        let failing = Double.random(in: 0...0.2, using: &random)
        let found = found(240) { minute in
            let calls = Int.random(in: (rate / 2)...rate, using: &random)
            return self.minute(&random, calls, factor: minute > 120 ? 1.4 : 1, failing: failing)
        }
        #expect(found.slow == nil && found.failing == nil, "seed \(seed), run \(run)")
    }

    @Test("Five times as long, or 40 points more failures, are found within three minutes", arguments: 0..<20)
    func planted(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let found = found(70) { minute in
            self.minute(&random, 90, factor: minute > 60 ? 5 : 1, failing: minute > 60 ? 0.45 : 0.05)
        }
        #expect((61...63).contains(try #require(found.slow)), "seed \(seed), run \(run)")
        #expect((61...63).contains(try #require(found.failing)), "seed \(seed), run \(run)")
    }

    @Test("What is unusual ends a minute after its cause; and after an hour it is usual")
    func end() {
        var random = SplitMix64(seed: 1)
        var trend = CallTrend()
        func run(_ minutes: Range<Int>, _ factor: Double) {
            for minute in minutes {
                trend.add(
                    self.minute(&random, 90, factor: factor, failing: 0),
                    at: Double(60 * minute),
                    closes: true
                )
            }
        }
        run(1..<20, 1)
        run(20..<30, 8)
        #expect(trend.slow.since == 1_200.0)
        run(30..<32, 1)
        #expect(trend.slow.since == nil)
        run(32..<100, 1)
        run(100..<159, 8)
        #expect(trend.slow.since == 6_000.0)
        run(159..<240, 8)
        #expect(trend.slow.since == nil)
    }

    @Test("What is slow for four minutes in each quarter of an hour is found each time")
    func comesAndGoes() {
        var random = SplitMix64(seed: 2)
        var trend = CallTrend(leastCalls: 20)
        var found: Set<Int> = []
        for minute in 1..<240 {
            let isSlow = minute > 20 && minute % 15 < 4
            let calls = self.minute(&random, 30, factor: isSlow ? 10 : 1, failing: 0)
            trend.add(calls, at: Double(60 * minute), closes: true)
            if isSlow, trend.slow.since != nil { found.insert(minute / 15) }
        }
        #expect(found == Set(2...15))
    }

    @Test("Ten minutes with calls, and 50 calls, are needed to know what is usual")
    func evidence() {
        let minute = CallMinute(calls: 6, median: 0.01, high: 0.02)
        #expect(UsualCalls(Array(repeating: minute, count: 9)) == nil)
        #expect(UsualCalls(Array(repeating: minute, count: 10))?.median == Double(Float(0.01)))
        #expect(UsualCalls(Array(repeating: CallMinute(calls: 4, median: 0.01, high: 0.02), count: 10)) == nil)
        #expect(UsualCalls([]) == nil)
    }

    // MARK: - Levels

    /// The steps of half a minute after which a level was found to grow first.
    private func growth(_ steps: Int, _ level: (Int) -> Double) -> Int? {
        var trend = LevelTrend(least: 65_536)
        for step in 1...steps {
            trend.add(level(step), at: Double(30 * step), closes: true)
            if trend.alarm.since != nil { return step }
        }
        return nil
    }

    @Test("Warm-up, saws, steps and noise do not grow", arguments: 0..<20)
    func levels(_ run: Int) {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let (period, time) = (Double.random(in: 3...60, using: &random), Double.random(in: 1...20, using: &random))
        var saw = 1.0
        let shapes: [(String, (Int) -> Double)] = [
            ("warm-up", { 1e6 * (1.1 - exp(-Double($0) / time)) }),
            ("steps", { 1e6 * (1 + Double($0 / 150)) }),
            ("noise", { _ in Double.random(in: 1e6...2e6, using: &random) }),
            ("constant", { _ in 1e6 }),
            ("falling", { 1e9 / Double($0) }),
            (
                "saw",
                { _ in
                    // It was full before.
                    defer { saw = saw >= 1 ? 0.2 : saw + 1 / period }
                    return 1e6 * saw
                }
            ),
        ]
        for (name, level) in shapes {
            #expect(growth(480, level) == nil, "\(name), seed \(seed), run \(run)")
        }
    }

    @Test("Of 100 levels that wander for four hours, at most four are named by chance; 0.25 are expected")
    func walks() {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed)
        let named = (0..<100).count { _ in
            var logarithm = 0.0
            let found = growth(480) { _ in
                logarithm += Double.random(in: -0.05...0.05, using: &random)
                return 1e6 * exp(logarithm)
            }
            return found != nil
        }
        // More than 4 have a probability of 7·10⁻⁶.
        #expect(named <= 4, "seed \(seed)")
    }

    @Test("Steady growth is found after five minutes, also with noise, and ends two minutes after it stopped")
    func grows() throws {
        var random = SplitMix64(seed: 2)
        let clean = try #require(growth(60) { 1e6 + 1e5 * Double(max(0, $0 - 30)) })
        #expect((38...43).contains(clean))
        let noisy = try #require(
            growth(100) { 1e6 + 5e4 * Double(max(0, $0 - 30)) + Double.random(in: 0...3e4, using: &random) }
        )
        #expect((38...70).contains(noisy))
        #expect(growth(200) { 1e8 + 1e4 * Double($0) } == nil, "it is less than a fifth")
        #expect(growth(200) { 1e4 + 100 * Double($0) } == nil, "it is less than 64 KiB")
        var trend = LevelTrend(least: 16)
        for step in 1...30 { trend.add(Double(10 * step), at: Double(30 * step), closes: true) }
        #expect(trend.alarm.since != nil && trend.from == 10 && trend.age(at: 900) == 870)
        for step in 31...40 { trend.add(300, at: Double(30 * step), closes: true) }
        #expect(trend.alarm.since == nil)
    }

    // MARK: - Silence

    private func silence(_ seconds: Int, _ calls: (Int) -> Double) -> Int? {
        var trend = SilenceTrend()
        for now in stride(from: 10, through: seconds, by: 10) {
            trend.add(calls: calls(now), at: Double(now), closes: now % 60 == 0)
            if trend.isSilent(at: Double(now)) { return now }
        }
        return nil
    }

    @Test("Calls that stop are found after a minute, or as soon as chance does not explain it")
    func silent() throws {
        #expect(silence(1_200) { $0 <= 900 ? 20 : 0 } == 960)
        // Two calls a minute: 13.8 / 2 minutes.
        #expect(silence(3_000) { $0 <= 1_200 && $0 % 30 == 0 ? 1 : 0 } == 1_620)
        #expect(silence(1_200) { $0 <= 540 ? 20 : 0 } == nil, "these are fewer than ten minutes")
        #expect(silence(6_000) { $0 % 1_200 < 600 ? 20 : 0 } == nil, "there were minutes without calls before")
    }

    @Test("Calls at random times, in groups or by a timer do not stop", arguments: 0..<20)
    func steady(_ run: Int) {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let (rate, period) = (Double.random(in: 0.02...1, using: &random), Int.random(in: 2...30, using: &random))
        var next = 0
        #expect(silence(40_000) { _ in Double.random(in: 0..<1, using: &random) < rate ? 1 : 0 } == nil, "seed \(seed)")
        let timer = silence(40_000) { now in
            guard now >= next else { return 0 }
            next = now + 10 * Int.random(in: (period / 2)...period, using: &random)
            return 25
        }
        #expect(timer == nil, "seed \(seed), run \(run)")
    }

    @Test("The memory of the trends of 500 components is below 3 MB, however long they run")
    func memory() {
        let header = 32
        let calls = MemoryLayout<CallTrend>.stride + header + CallTrend.capacity * MemoryLayout<CallMinute>.stride
        let tail = MemoryLayout<TailTrend>.stride + header + TailTrend.capacity * 12
        let hang = MemoryLayout<HangTrend>.stride + header + HangTrend.capacity * 16
        let operation = calls + tail + hang
        // A histogram of waits has up to 160 buckets; those of one client are in a tenth of the range.
        let wait = calls + 200 + 80 * 8
        let life = MemoryLayout<LifeTrend>.stride + header + LifeTrend.capacity * 4
        let level = MemoryLayout<LevelTrend>.stride + header + LevelTrend.capacity * 4
        let component = MemoryLayout<SilenceTrend>.stride + header + SilenceTrend.capacity * 4
        let bytes =
            TrendMemory.operationLimit * operation + TrendMemory.waitLimit * wait + TrendMemory.levelLimit * level
            + TrendMemory.componentLimit * component + TrendMemory.lifeLimit * life
        #expect(bytes < 3_000_000)
    }
}
#endif
