// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Finds gross growth in durations that follow something: load, a season, other processes. Their windows are similar for
/// so long that they form too few independent blocks for ``LiveComparison``.
///
/// The baseline is divided into blocks as long as the latest windows, and those are judged as one more block: by
/// Student's t for a new observation, with the deviation between the blocks of the baseline. Windows of one block may
/// depend on each other in any way; consecutive blocks should be independent. Because they may not be, there are two more
/// conditions: the growth is at least ``LivePolicy/grossEffect``, and the latest windows take longer than every block of
/// the baseline by half of that.
struct GrossComparison {
    /// The least number of blocks in the baseline: an hour of windows of 10 seconds has 12.
    static let minimumBlocks = 8

    /// The result for the percentiles that could be estimated.
    struct Finding {
        let shifts: [LiveComparison.Shift]
        /// The smallest growth that would have been found in each of them, as a ratio.
        let visible: [Double]
    }

    let policy: LivePolicy

    /// - Returns: nil when the baseline has too few blocks.
    func finding(_ before: WindowTable, _ now: WindowTable) throws(ProfileError) -> Finding? {
        let length = now.windows
        guard length > 0, before.windows / length >= Self.minimumBlocks else { return nil }
        let blocks = before.windows / length
        let every = [Double](repeating: 1, count: length)
        var latest = [Double](repeating: 0, count: length)
        for index in latest.indices.suffix(policy.lookInterval) { latest[index] = 1 }
        let requests = min(before.total / Double(blocks), now.total)
        var (shifts, visible): ([LiveComparison.Shift], [Double]) = ([], [])
        for percentile in policy.percentiles {
            guard requests * min(percentile, 1 - percentile) >= 10,
                let value = now.logQuantile(percentile, weights: every),
                let recent = now.logQuantile(percentile, weights: latest),
                let levels = levels(before, blocks, length, percentile)
            else { continue }
            let (shift, smallest) = try judge(percentile, value, recent, levels, before.bucketWidth)
            shifts.append(shift)
            visible.append(smallest)
        }
        return Finding(shifts: shifts, visible: visible)
    }

    /// The logarithm of a quantile of each block of the baseline; nil if one has none. The latest windows of the
    /// baseline are in the last block; the first windows of a baseline that does not divide evenly are left out.
    private func levels(_ table: WindowTable, _ blocks: Int, _ length: Int, _ percentile: Double) -> [Double]? {
        var levels: [Double] = []
        for block in 0..<blocks {
            var weights = [Double](repeating: 0, count: table.windows)
            let end = table.windows - (blocks - 1 - block) * length
            for index in (end - length)..<end { weights[index] = 1 }
            guard let level = table.logQuantile(percentile, weights: weights) else { return nil }
            levels.append(level)
        }
        return levels
    }

    private func judge(
        _ percentile: Double,
        _ value: Double,
        _ recent: Double,
        _ levels: [Double],
        _ width: Double
    ) throws(ProfileError) -> (LiveComparison.Shift, visible: Double) {
        let count = Double(levels.count)
        let mean = Statistics.average(levels)
        let spread = Statistics.spread(levels)
        // A number that is known only to its bucket has a variance of width² / 12.
        let error = (spread * spread * (1 + 1 / count) + width * width / 6).squareRoot()
        let student = try StudentDistribution(degrees: count - 1)
        let floor = log1p(policy.grossEffect)
        let highest = (levels.max() ?? mean) + floor / 2
        let isGross = value - mean >= floor && value >= highest
        let shift = LiveComparison.Shift(
            percentile: percentile,
            value: value - mean,
            error: error,
            pValue: isGross ? student.upper((value - mean) / error) : 1,
            recent: recent - mean
        )
        // By Holm the smallest p-value is compared with a part of the level; with one operation it is this one.
        let quantile = try student.quantile(1 - policy.levelOfLook / Double(policy.percentiles.count))
        return (shift, exp(max(floor, highest - mean, quantile * error)))
    }
}
