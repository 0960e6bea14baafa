// SPDX-License-Identifier: Apache-2.0

/// The last minute of one operation, and how many of its calls hang at least. At most 0.2 kB.
///
/// Of the calls that were in flight some time ago, as many as have ended since may have ended; the others have not. That is no
/// estimate: at least so many calls are older than that time. They hang if they are five, twice in a row, and if that time is three
/// times the 99.9th percentile of all calls that ended, 10 s at least; so that of ordinary calls only a few of 1,000 are as old.
/// The more calls end, the longer it takes until those that hang are seen: a share s of them after 10 s / s.
package struct HangTrend: Sendable {
    private struct Sample: Sendable {
        let (inFlight, ended): (Double, Double)
    }

    /// The steps of a minute.
    private static let capacity = 7
    private static let interval = 10.0
    private static let (leastCalls, leastHanging) = (50.0, 5.0)

    private var samples: [Sample] = []
    package private(set) var alarm = TrendAlarm()
    /// How many calls hang at least, and for how many seconds at least.
    package private(set) var (hanging, seconds) = (0.0, 0.0)

    package init() {}

    /// Whether there is nothing to remember: no calls were in flight lately, and none hang.
    var isIdle: Bool { alarm.isQuiet && !samples.contains { $0.inFlight > 0 } }

    /// Adds a step of ten seconds or more.
    ///
    /// - Parameters:
    ///   - inFlight: The calls that have not ended.
    ///   - ended: All that have.
    ///   - longest: The 99.9th percentile of the durations, in seconds.
    package mutating func add(inFlight: Double, ended: Double, longest: Double, at now: Double) {
        samples = samples.suffix(Self.capacity - 1) + [Sample(inFlight: inFlight, ended: ended)]
        let least = max(1, Int((min(3_600, 3 * longest + 0.2) / Self.interval).rounded(.up)))
        let known = ended >= Self.leastCalls ? least..<max(least, samples.count) : 0..<0
        let older = known.map { steps in
            let before = samples[samples.count - 1 - steps]
            return (calls: before.inFlight - (ended - before.ended), seconds: Double(steps) * Self.interval)
        }
        let most = older.max { $0.calls < $1.calls }
        if let most, most.calls >= 1 { (hanging, seconds) = most }
        let calls = most?.calls ?? 0
        alarm.judge(at: now, begins: calls >= Self.leastHanging, lasts: calls >= 1)
    }
}
