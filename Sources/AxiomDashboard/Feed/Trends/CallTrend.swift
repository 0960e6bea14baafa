// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// The calls of one operation in a minute. 20 bytes.
package struct CallMinute: Sendable, Hashable {
    var calls: Float
    /// The calls that failed or were rejected.
    var failures: Float
    /// The median of the durations and their 90th percentile, in seconds; 0 without calls.
    var median: Float
    var high: Float
    /// Whether they were slow or failed more often than usual.
    fileprivate(set) var isUnusual = false

    package init(calls: Double = 0, failures: Double = 0, median: Double = 0, high: Double = 0) {
        (self.calls, self.failures) = (Float(calls), Float(failures))
        (self.median, self.high) = (Float(median), Float(high))
    }

    /// The share of the calls that failed, 0...1.
    package var share: Double { Double(failures) / Double(max(1, calls)) }
}

/// How the calls of an operation were in the hour before, and from where on calls are unusual.
///
/// **Slow.** Calls are slow if their median is above all of:
/// - twice the median of the earlier minutes' medians, and 1 ms more than that: the least effect.
/// - the earlier 90th percentile. This holds for calls of any distribution: of n independent calls each is above that with
///   probability 0.1, and half of them are with probability P(Bin(n, 0.1) ≥ n / 2), which is 2·10⁻¹¹ for 50 calls, and
///   6·10⁻⁹ if the percentile was estimated so badly that 0.15 is true. An hour has 360 judgements, so that this alone
///   makes at most 2·10⁻⁶ alarms an hour.
/// - 1.5 times the 95th percentile of the earlier medians, and their median times exp(5 · 1.48 · MAD of the logarithms):
///   calls of one minute are not independent, and the earlier minutes show how much minutes differ.
///
/// **Failing.** The share of failures is 2 points above the usual one, and above that of 95 % of the earlier minutes with at
/// least 20 calls, because failures come together. And the earlier calls explain it with probability at most 10⁻⁶, see
/// ``RareShare``.
package struct UsualCalls: Sendable, Hashable {
    private static let (leastMinutes, leastCalls, leastRated) = (10, 50.0, Float(20))

    /// The median of the minutes' medians, in seconds.
    package let median: Double
    /// The share of the calls that failed, 0...1.
    package let share: Double
    private let slow: Double
    private let (failing, worst): (Double, Double)

    /// - Returns: Nil for fewer than ten minutes with calls, or fewer than 50 calls.
    package init?(_ minutes: some Sequence<CallMinute>) {
        let called = minutes.filter { $0.calls > 0 }
        let calls = called.reduce(0) { $0 + Double($1.calls) }
        let medians = called.map { max(1e-6, Double($0.median)) }
        guard called.count >= Self.leastMinutes, calls >= Self.leastCalls,
            let median = try? Statistics.median(medians),
            let high = try? Statistics.median(called.map { Double($0.high) }),
            let highest = try? Statistics.quantile(0.95, of: medians),
            let deviation = try? Statistics.median(medians.map { abs(log($0 / median)) })
        else { return nil }
        self.median = median
        slow = max(2 * median, median + 1e-3, high, 1.5 * highest, median * exp(5 * 1.4826 * deviation))
        let failures = called.reduce(0) { $0 + Double($1.failures) }
        share = failures / calls
        let shares = called.filter { $0.calls >= Self.leastRated }.map(\.share)
        worst = (try? Statistics.quantile(0.95, of: shares)) ?? 0
        failing = RareShare.highest(failures, of: calls)
    }

    /// Whether the calls of each of these minutes are slow.
    func isSlow(_ minutes: ArraySlice<CallMinute>) -> Bool { minutes.allSatisfy { Double($0.median) > slow } }

    /// Whether calls that were slow still are.
    func isSlower(_ minutes: ArraySlice<CallMinute>) -> Bool {
        minutes.allSatisfy { Double($0.median) > max(1.5 * median, median + 5e-4) }
    }

    /// Whether too many of the calls fail.
    func isFailing(_ calls: CallMinute) -> Bool {
        calls.share >= max(failing, worst) + 0.02
            && RareShare.isBeyond(Double(calls.failures), of: Double(calls.calls), failing)
    }

    /// Whether more of the calls fail than usual, after too many did.
    func isWorse(_ calls: CallMinute) -> Bool { calls.share > max(1.25 * share, share + 0.01) }
}

/// The last hour of one operation, and whether its calls are slower or fail more often now. At most 1.2 kB.
///
/// The last minute is judged, or as many minutes as have enough calls, at most five. Those are no part of what is usual, and
/// what is usual does not change while something is suspected or unusual. Minutes that were unusual are no part of it either,
/// so that what comes and goes is found again; unless they are more than a third of the hour.
package struct CallTrend: Sendable {
    static let capacity = 60
    private static let mostMinutes = 5

    private let leastCalls: Float
    private var minutes: [CallMinute] = []
    package private(set) var usual: UsualCalls?
    package private(set) var slow = TrendAlarm()
    package private(set) var failing = TrendAlarm()
    /// The calls that were judged last.
    package private(set) var judged = CallMinute()

    /// - Parameter leastCalls: How many calls are judged at least. 50 if they are judged each ten seconds. 20 if they are
    ///   judged each minute, so that two judgements in a row are independent: P(Bin(20, 0.15) ≥ 10)² is 6·10⁻⁸.
    package init(leastCalls: Double = 50) { self.leastCalls = Float(leastCalls) }

    /// Adds the calls of the last minute. Call it each ten seconds at most.
    ///
    /// - Parameters:
    ///   - now: In seconds.
    ///   - closes: Whether the minute follows the one that was the last to close.
    package mutating func add(_ minute: CallMinute, at now: Double, closes: Bool) {
        let wasUnusual = isUnusual
        if closes { minutes = minutes.suffix(Self.capacity - 1) + [minute] }
        let recent = minute.calls >= leastCalls ? [minute][...] : closes ? recent : []
        if closes, slow.isQuiet, failing.isQuiet {
            usual = UsualCalls(earlier(without: recent.count))
        }
        guard let usual, !recent.isEmpty || closes else { return }
        let sum = CallMinute(
            calls: recent.reduce(0) { $0 + Double($1.calls) },
            failures: recent.reduce(0) { $0 + Double($1.failures) },
            median: recent.map { Double($0.median) }.sorted().dropFirst(recent.count / 2).first ?? 0
        )
        if !recent.isEmpty { judged = sum }
        slow.judge(
            at: now,
            begins: !recent.isEmpty && usual.isSlow(recent),
            lasts: !recent.isEmpty && usual.isSlower(recent)
        )
        failing.judge(at: now, begins: usual.isFailing(sum), lasts: usual.isWorse(sum))
        // It was suspected a judgement before.
        mark(closes ? 1 : 0, judged: wasUnusual ? 0 : recent.count + (closes ? 1 : 0))
    }

    private var isUnusual: Bool { slow.since != nil || failing.since != nil }

    /// Marks the last minutes, if they are unusual. After an hour all are usual.
    private mutating func mark(_ closed: Int, judged: Int) {
        guard isUnusual else { return }
        for index in minutes.indices.suffix(max(closed, judged)) { minutes[index].isUnusual = true }
    }

    /// The minutes before the last ones.
    private func earlier(without recent: Int) -> [CallMinute] {
        let all = minutes.dropLast(max(1, recent))
        let usual = all.filter { !$0.isUnusual }
        return usual.count * 3 >= all.count * 2 ? usual : Array(all)
    }

    /// The fewest of the last minutes that have enough calls; none if five have fewer.
    private var recent: ArraySlice<CallMinute> {
        var calls: Float = 0
        for count in 1...Self.mostMinutes where count <= minutes.count {
            calls += minutes[minutes.count - count].calls
            if calls >= leastCalls { return minutes.suffix(count) }
        }
        return []
    }
}
