// SPDX-License-Identifier: Apache-2.0

/// How a running application is judged. The defaults suit windows of 10 seconds: ten minutes are 60 windows, of which
/// 10 to 60 blocks can be made.
public struct LivePolicy: Hashable, Sendable {
    /// The length of a window, in seconds.
    public var windowLength = 10.0
    /// How many windows are looked at: the latest ones. The false alarm rate is meant for so many windows, too.
    public var horizon = 60
    /// From how many windows with enough requests on there is a verdict.
    public var minimumWindows = 30
    /// After how many windows there is another look.
    public var lookInterval = 6
    /// The expected number of false alarms among all operations and percentiles together in one ``horizon`` of time,
    /// however long the application is watched. Each look spends its part of it, ``lookInterval`` over ``horizon``, so
    /// that looking often costs no more than was granted (Bonferroni over looks, Holm within one).
    public var falseAlarmRate = 0.001
    /// The relative growth that matters: 0.05 is 5 %.
    public var minimumEffect = 0.05
    /// The relative growth that is looked for where durations follow something, such as load, so that smaller growth cannot
    /// be told from that: 0.5 is 50 %.
    public var grossEffect = 0.5
    /// For how many windows a finding must last before it counts.
    public var persistence = 12
    /// A window with fewer requests is left out.
    public var minimumRequests: UInt64 = 20
    /// The percentiles that are judged, as probabilities. One is judged when ten observations can be expected beyond
    /// it.
    public var percentiles = [0.5, 0.9, 0.99]
    /// How many independent blocks of windows each side must have.
    public var minimumBlocks = 10
    /// Resamples for each standard error: with 200 it is known to 5 %.
    public var replicates = 200
    /// Where the random numbers of the resampling start.
    public var seed: UInt64 = 0
    /// Which part of an operation's extra cost its siblings must have saved for it to have been moved.
    public var movedShare = 0.8

    /// The defaults.
    public init() {}

    /// The level of one look, for all operations and percentiles together.
    public var levelOfLook: Double { falseAlarmRate * Double(lookInterval) / Double(horizon) }

    /// Names on a page have eight digits: what is closer than they tell is the same percentile twice.
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
