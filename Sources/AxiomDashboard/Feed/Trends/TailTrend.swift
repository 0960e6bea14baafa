// SPDX-License-Identifier: Apache-2.0

/// The last hour of one operation, and whether more of its calls are long now. At most 0.8 kB.
///
/// A call is long if it takes more than twice as long as the 99th percentile of each earlier minute, and 1 ms more; of fewer than
/// 100 calls that is the longest one. So at most one call in 100 of a minute with 100 calls was long, and none of another one. There
/// are too many of them if of one to five minutes
/// - 2 % of the calls are long, five at least, and 1 point more than before.
/// - the earlier calls explain that with probability at most 10⁻⁶, see ``RareShare``.
/// - no minute has more than 0.7 of them, because one event makes many calls long. A single minute needs a second one after it.
///
/// The last five minutes are not among the earlier ones, nor are those in which calls were found to be long.
package struct TailTrend: Sendable {
    private struct Minute: Sendable {
        var calls: Float
        /// The 99th percentile in seconds; 0 if it says nothing of what is usual.
        var top: Float
        var long: Float
    }

    static let capacity = 60
    private static let (mostMinutes, leastMinutes, leastLong) = (5, 10, Float(5))

    private var minutes: [Minute] = []
    /// The share of long calls before, at most; nil if too little is known.
    private var expected: Double?
    /// From where on a call is long, in seconds.
    package private(set) var limit = Double.infinity
    package private(set) var alarm = TrendAlarm()
    /// The share of the calls that were long, in the minutes that were judged last.
    package private(set) var share = 0.0

    package init() {}

    /// Ends a minute.
    ///
    /// - Parameters:
    ///   - top: The 99th percentile of the durations, in seconds.
    ///   - longer: How many calls of the minute took longer than a time in seconds.
    package mutating func close(calls: Double, top: Double, at now: Double, longer: (Double) -> Double) {
        if alarm.isQuiet { learn() }
        let long = limit.isFinite && calls > 0 ? longer(limit) : 0
        let minute = Minute(calls: Float(calls), top: alarm.isQuiet ? Float(top) : 0, long: Float(long))
        minutes = minutes.suffix(Self.capacity - 1) + [minute]
        let wasQuiet = alarm.isQuiet
        let found = excess
        alarm.judge(at: now, begins: found != nil, lasts: isLasting)
        guard let found else { return }
        share = found
        // The first minutes may have had too few.
        if wasQuiet { for index in minutes.indices.suffix(Self.mostMinutes) { minutes[index].top = 0 } }
    }

    private mutating func learn() {
        // This minute is not there yet.
        let earlier = minutes.dropLast(Self.mostMinutes - 1).filter { $0.calls > 0 && $0.top > 0 }
        guard earlier.count >= Self.leastMinutes, let top = earlier.map(\.top).max() else {
            (limit, expected) = (.infinity, nil)
            return
        }
        limit = max(2 * Double(top), Double(top) + 1e-3)
        let long = earlier.reduce(0) { $0 + ($1.calls / 100).rounded(.down) }
        expected = RareShare.highest(Double(long), of: Double(earlier.reduce(0) { $0 + $1.calls }))
    }

    /// The share of long calls in the fewest of the last minutes that have too many.
    private var excess: Double? {
        guard let expected else { return nil }
        for count in 1...Self.mostMinutes where count <= minutes.count {
            let recent = minutes.suffix(count)
            let (long, calls) = (recent.reduce(0) { $0 + $1.long }, recent.reduce(0) { $0 + $1.calls })
            let share = Double(long / max(1, calls))
            guard long >= Self.leastLong, share >= max(0.02, expected + 0.01),
                count == 1 || recent.allSatisfy({ $0.long <= 0.7 * long })
            else { continue }
            if RareShare.isBeyond(Double(long), of: Double(calls), expected) { return share }
        }
        return nil
    }

    /// Whether at least one call in 100 of the last two minutes was long.
    private var isLasting: Bool {
        let recent = minutes.suffix(2)
        let long = recent.reduce(0) { $0 + $1.long }
        return long >= 1 && long >= recent.reduce(0) { $0 + $1.calls } / 100
    }
}
