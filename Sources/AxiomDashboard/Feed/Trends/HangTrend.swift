// SPDX-License-Identifier: Apache-2.0

/// The last minute of one operation, and how many of its calls hang at least. At most 0.2 kB.
///
/// Some calls were in flight some time ago, and some calls ended since. If more were in flight than ended, the difference has not
/// ended: so many calls at least are older than that time. They hang if they are five, twice in a row, and if that time is 10 s at
/// least, and three times the 99.9th percentile of all calls that ended before. The more calls end, the longer it takes until those
/// that hang are seen: of quick calls, one in ten is seen after about two minutes.
///
/// The percentile is not learned while calls hang, nor in the hour after, so that a second time is found too. What hangs for an hour
/// is usual: then five more must hang. An operation of which one call in 1,000 takes more than 19 s is not judged, because a minute
/// is remembered.
package struct HangTrend: Sendable {
    private struct Sample: Sendable {
        let (inFlight, ended): (Double, Double)
    }

    /// The steps of a minute.
    static let capacity = 7
    private static let interval = 10.0
    private static let memory = 3_600.0
    private static let (leastCalls, leastHanging) = (50.0, 5.0)

    private var samples: [Sample] = []
    /// The percentile before calls hung, and until when it holds.
    private var (usual, until) = (Double.infinity, 0.0)
    /// How many calls hang that are usual.
    private var accepted = 0.0
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
        let limit = 3 * (now < until ? min(usual, longest) : longest) + 0.2
        let least = max(1, Int((min(3_600, limit) / Self.interval).rounded(.up)))
        let known = ended >= Self.leastCalls ? least..<max(least, samples.count) : 0..<0
        let older = known.map { steps in
            let before = samples[samples.count - 1 - steps]
            return (calls: before.inFlight - (ended - before.ended), seconds: Double(steps) * Self.interval)
        }
        let most = older.max { $0.calls < $1.calls }
        if let most, most.calls >= 1 { (hanging, seconds) = most }
        let calls = most?.calls ?? 0
        let (wasQuiet, began) = (alarm.isQuiet, alarm.since)
        accepted = max(0, min(accepted, calls))
        alarm.judge(at: now, begins: calls >= accepted + Self.leastHanging, lasts: calls >= accepted + 1)
        if wasQuiet, !alarm.isQuiet, now >= until { usual = longest }
        if !alarm.isQuiet { until = now + Self.memory }
        // It has lasted for an hour.
        if began != nil, alarm.since == nil, calls >= 1 { accepted = calls }
    }
}
