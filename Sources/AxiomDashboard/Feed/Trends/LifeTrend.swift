// SPDX-License-Identifier: Apache-2.0

/// The instances of a component that were made in the last hour, and whether more of them live on now. At most 0.6 kB.
///
/// An instance lives on if it is older than 1.2 times the 99th percentile of the lifetimes that ended (of fewer than 100, the
/// longest one), a minute at least. Those that were made in 2.5, 5, 10 or 20 minutes and are old enough are compared with all that
/// were made before: eight of them, and 30 %, live on, 20 points more than before, and the earlier ones explain that with
/// probability at most 10⁻⁶, see ``RareShare``. So windows that are kept open from the beginning are nothing unusual.
/// Idle applications are not judged: instances must be made at three quarters of the earlier rate, or faster. Otherwise the
/// instances that stay on screen would look like a leak.
package struct LifeTrend: Sendable {
    /// In half minutes.
    private static let windows = [5, 10, 20, 40]
    static let capacity = 120
    private static let (leastBefore, leastKept, leastShare) = (30.0, 8.0, 0.3)

    /// How many were made until the end of each half minute.
    private var made: [Float] = []
    private var age = 0
    package private(set) var alarm = TrendAlarm()
    /// How many of how many live on.
    package private(set) var (kept, total) = (0.0, 0.0)
    /// How many of how many that were made before do.
    package private(set) var (keptBefore, totalBefore) = (0.0, 0.0)

    package init() {}

    /// From which age on an instance lives on, in seconds.
    package var limit: Double { Double(age) * LevelTrend.interval }

    /// Ends a half minute.
    ///
    /// - Parameters:
    ///   - made: How many instances were ever made.
    ///   - longest: The 99th percentile of the lifetimes of those that ended, in seconds; nil without any.
    ///   - living: How many live that were made in a time, in seconds before now.
    package mutating func close(made: Double, longest: Double?, at now: Double, living: (Range<Double>) -> Double) {
        self.made = self.made.suffix(Self.capacity - 1) + [Float(made)]
        if alarm.isQuiet { age = max(2, Int((1.2 * min(3_600, longest ?? 3_600) / LevelTrend.interval).rounded(.up))) }
        var (begins, lasts) = (false, false)
        for window in Self.windows where age + window < self.made.count {
            let (kept, total) = lives(age, window, living)
            guard kept >= Self.leastKept, kept >= Self.leastShare * total else { continue }
            let earlier = self.made.count - 1 - age - window
            let (before, all) = lives(age + window, earlier, living)
            (lasts, self.kept, self.total, keptBefore, totalBefore) = (true, kept, total, before, all)
            let expected = RareShare.highest(before, of: all)
            let expectedNew = 0.75 * all / Double(earlier) * Double(age)
            guard all >= Self.leastBefore, madeSince(age) >= expectedNew else { continue }
            let isMore = kept / total >= expected + 0.2
            begins = begins || isMore && RareShare.isBeyond(kept, of: total, expected)
        }
        alarm.judge(at: now, begins: begins, lasts: lasts)
    }

    private func madeSince(_ steps: Int) -> Double { Double(made[made.count - 1] - made[made.count - 1 - steps]) }

    /// Of those that were made in some half minutes, how many live, and how many there were.
    private func lives(_ end: Int, _ length: Int, _ living: (Range<Double>) -> Double) -> (Double, Double) {
        let last = made.count - 1 - end
        let interval = LevelTrend.interval
        let alive = living(Double(end) * interval..<Double(end + length) * interval)
        return (alive, Double(made[last] - made[last - length]))
    }
}
