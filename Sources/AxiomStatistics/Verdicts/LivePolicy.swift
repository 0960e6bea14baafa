// SPDX-License-Identifier: Apache-2.0

/// How a running application is judged against a baseline. The defaults suit windows of 10 seconds: ten minutes are 60
/// windows, which form 10 to 60 blocks.
///
/// An operation is `regressed` if, for one of its percentiles, all of this holds at every look through ``persistence``
/// windows:
/// - the shift is significant at the level of the look, adjusted by Holm for all operations and percentiles,
/// - it is at least ``minimumEffect``,
/// - the windows since the last look alone show at least half of that, so the shift has not ended,
/// - siblings of its group that became significantly faster did not save its extra cost.
///
/// It stays regressed until less than half of the minimum effect is left. Each look spends its part of
/// ``falseAlarmRate``, so that rate bounds the expected number of false alarms in a horizon however often a look is due,
/// if the windows of the baseline are like quiet windows of today. Differences between days that exceed the minimum
/// effect are found as well: record the baseline under the load that is judged.
///
/// **Error rates.** Measured with the default rate of 0.001 in 2,000 simulated quiet runs of ten minutes and five
/// operations, whose windows differ by 3 %: 0 runs with a false alarm if windows are independent, 1 if the correlation of
/// neighbours is 0.5, 4 if it is 0.8. At 0.95 and differences of 10 % there were 25, though 98 % of the verdicts were
/// `insufficient`: ten minutes do not suffice to distinguish so long a memory from a shift, and a longer horizon or
/// longer windows are needed. A shift of 10 % was found in 90 % of the runs with 100 requests a window whose durations
/// vary by 50 %. More requests, a longer baseline or a higher rate find more.
///
/// **Durations that follow something** (load, a season) have windows that are similar for too long to find a small
/// shift. Then only gross growth is judged, ``grossEffect`` or more, among blocks of the baseline that are as long as
/// ``minimumWindows``; it must have 8 of them. Otherwise the verdict is `insufficient` and states what would be found.
/// Measured with a baseline of an hour and 20 minutes after it, 60 requests a window, in 2,000 runs without growth (seeds
/// 0 to 1,999) of each kind: 0 false alarms for a season of five minutes that swings by 20 %, 0 for one of an hour, 0 for
/// levels that differ by 10 % with a correlation of 0.95. Durations that double were found in 40, 1 and 40 of 40 runs,
/// those that grow tenfold in 40 of 40 of each kind, after six minutes.
public struct LivePolicy: Hashable, Sendable {
    /// The length of a window, in seconds.
    public var windowLength = 10.0
    /// How many of the latest windows are compared. ``falseAlarmRate`` refers to as many windows.
    public var horizon = 60
    /// The least number of windows with enough requests for a verdict.
    public var minimumWindows = 30
    /// The number of windows between looks.
    public var lookInterval = 6
    /// The expected number of false alarms among all operations and percentiles together in one ``horizon`` of time,
    /// however long the application is watched. Each look spends its part, ``lookInterval`` over ``horizon`` (Bonferroni
    /// over looks, Holm within one).
    public var falseAlarmRate = 0.001
    /// The relative growth that matters: 0.05 is 5 %.
    public var minimumEffect = 0.05
    /// The relative growth that is judged if durations follow something, such as load, and smaller growth cannot be
    /// distinguished from that: 0.5 is 50 %.
    public var grossEffect = 0.5
    /// The number of windows through which a shift must last.
    public var persistence = 12
    /// The least number of requests of a window that is compared.
    public var minimumRequests: UInt64 = 20
    /// The percentiles that are judged, as probabilities. One is judged when ten observations can be expected beyond
    /// it.
    public var percentiles = [0.5, 0.9, 0.99]
    /// The least number of independent blocks of windows on each side.
    package var minimumBlocks = 10
    /// Resamples for each standard error: with 200 it is known to 5 %.
    package var replicates = 200
    /// The seed of the resampling.
    package var seed: UInt64 = 0
    /// The share of an operation's extra cost that its siblings must have saved for work to count as moved.
    package var movedShare = 0.8

    /// The defaults.
    public init() {}

    /// The level of one look, for all operations and percentiles together.
    package var levelOfLook: Double { falseAlarmRate * Double(lookInterval) / Double(horizon) }

    /// Names on a page have eight digits: percentiles that are closer would have the same name.
    private func validateDistances() throws(ProfileError) {
        let sorted = percentiles.sorted()
        for (lower, upper) in zip(sorted, sorted.dropFirst()) where upper - lower < 2e-8 {
            throw ProfileError(
                .invalidParameter,
                "the percentiles \(lower) and \(upper) are the same, or closer than 0.00000002: give one of them"
            )
        }
    }

    func validate() throws(ProfileError) {
        try Check.count(horizon, "the horizon", atLeast: 8)
        try Check.count(minimumWindows, "the minimum of windows", atLeast: 8)
        try Check.count(lookInterval, "the interval between looks", atLeast: 1)
        try Check.count(persistence, "the persistence", atLeast: 1)
        try Check.count(minimumBlocks, "the minimum of blocks", atLeast: 3)
        try Check.count(replicates, "the number of replicates", atLeast: 50)
        try Check.probability(falseAlarmRate, "the false alarm rate")
        for percentile in percentiles { try Check.probability(percentile, "a percentile") }
        try validateDistances()
        guard minimumWindows <= horizon, lookInterval <= horizon, persistence <= horizon else {
            throw ProfileError(
                .invalidParameter,
                "minimum of windows, interval between looks and persistence must be at most the horizon, \(horizon)"
            )
        }
        guard [windowLength, minimumEffect, grossEffect, movedShare].allSatisfy({ $0 > 0 && $0.isFinite }),
            !percentiles.isEmpty
        else {
            throw ProfileError(
                .invalidParameter,
                "window length, minimum effect, gross effect and moved share must be positive, and there must be a percentile"
            )
        }
    }
}
