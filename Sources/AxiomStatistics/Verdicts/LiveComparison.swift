// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Compares the latest windows of one operation with those of the baseline.
struct LiveComparison {
    /// The shift of one percentile.
    struct Shift {
        let percentile: Double
        /// The logarithm of the ratio, present over baseline.
        let value: Double
        let error: Double
        /// The one-sided probability of such a shift when there is none.
        let pValue: Double
        /// The shift of the windows since the last look alone.
        let recent: Double
    }

    /// The comparison, or why there is none.
    enum Outcome {
        case judged([Shift])
        /// Only gross growth can be judged. The verdict applies if there is none.
        case judgedGrossly([Shift], Verdict)
        case refused(Verdict)
    }

    private let policy: LivePolicy
    /// Whether the autocorrelation of the present windows counts, beside that of the baseline.
    private let trustsCurrent: Bool

    /// Compares windows that have enough requests each.
    ///
    /// Windows before and after a shift are similar to their neighbours, so the shift itself looks like autocorrelation,
    /// and too much of that allows no verdict. Then the latest windows alone are compared, with the autocorrelation of the
    /// baseline, which is theirs as well if nothing changed. If that allows no verdict either, the durations follow
    /// something, and only gross growth is judged.
    static func outcome(
        _ baseline: inout WindowSet,
        _ current: [ExponentialHistogramData],
        _ policy: LivePolicy
    ) throws(ProfileError) -> Outcome {
        let all = LiveComparison(policy: policy, trustsCurrent: true)
        let outcome = try all.outcome(&baseline, WindowSet(current))
        guard case .refused(let verdict) = outcome, verdict.reason == .autocorrelation else { return outcome }
        let latest = WindowSet(Array(current.suffix(policy.minimumWindows)))
        if current.count > policy.minimumWindows {
            let part = LiveComparison(policy: policy, trustsCurrent: false)
            if case .judged(let shifts) = try part.outcome(&baseline, latest) { return .judged(shifts) }
        }
        return try grossOutcome(&baseline, latest, verdict, policy)
    }

    /// The outcome for durations that follow something.
    private static func grossOutcome(
        _ baseline: inout WindowSet,
        _ latest: WindowSet,
        _ verdict: Verdict,
        _ policy: LivePolicy
    ) throws(ProfileError) -> Outcome {
        var latest = latest
        guard let schema = [baseline.schema, latest.schema].compactMap(\.self).min(),
            let finding = try GrossComparison(policy: policy).finding(
                baseline.table(schema: schema),
                latest.table(schema: schema)
            ), let smallest = finding.visible.min()
        else { return .refused(verdict) }
        let percent = ((smallest - 1) * 100).rounded(.up)
        let detail = "\(verdict.detail); growth by \(Int(min(percent, 1e6))) % or more would be seen"
        return .judgedGrossly(finding.shifts, Verdict(.insufficient, .autocorrelation, detail))
    }

    private func outcome(_ baseline: inout WindowSet, _ current: WindowSet) throws(ProfileError) -> Outcome {
        var current = current
        guard let schema = [baseline.schema, current.schema].compactMap(\.self).min() else {
            return .refused(Verdict(.insufficient, .tooFewWindows))
        }
        let (before, now) = (baseline.table(schema: schema), current.table(schema: schema))
        guard before.bucketWidth < log1p(policy.minimumEffect) else {
            let width = (expm1(before.bucketWidth) * 1_000).rounded() / 10
            return .refused(Verdict(.insufficient, .resolution, "buckets of schema \(schema) grow by \(width) %"))
        }
        guard let timeBefore = try baseline.time(before), let timeNow = trustsCurrent ? try current.time(now) : 1 else {
            return .refused(Verdict(.insufficient, .range, "a window's median is 0 or infinite"))
        }
        // Twice the autocorrelation time: a block then has most of the dependence between its windows.
        let longest = max(timeBefore, timeNow)
        let length = longest > 1 ? Int((2 * longest).rounded(.up)) : 1
        let blocks = min(before.windows, now.windows) / length
        guard blocks >= policy.minimumBlocks else {
            let detail = "\(blocks) blocks of \(length) windows, \(policy.minimumBlocks) are needed"
            return .refused(Verdict(.insufficient, .autocorrelation, detail))
        }
        // Two streams of one seed, so that both sides are resampled independently.
        var streams = (SeededGenerator(seed: policy.seed, stream: 0), SeededGenerator(seed: policy.seed, stream: 1))
        let old = baseline.estimates(before, policy.percentiles, try bootstrap(length, streams.0.next()))
        let new = current.estimates(now, policy.percentiles, try bootstrap(length, streams.1.next()))
        return .judged(try shifts(old, new, before, now))
    }

    private func shifts(
        _ old: QuantileEstimates,
        _ new: QuantileEstimates,
        _ before: WindowTable,
        _ now: WindowTable
    ) throws(ProfileError) -> [Shift] {
        let requests = min(before.total, now.total)
        var latest = [Double](repeating: 0, count: now.windows)
        for index in latest.indices.suffix(policy.lookInterval) { latest[index] = 1 }
        var shifts: [Shift] = []
        for (position, percentile) in policy.percentiles.enumerated() {
            guard requests * min(percentile, 1 - percentile) >= 10, let base = old.estimates[position],
                let value = new.estimates[position], let recent = now.logQuantile(percentile, weights: latest)
            else { continue }
            let blocks = (old.blocks, new.blocks)
            shifts.append(try shift(percentile, base, value, blocks, recent - base.value, before.bucketWidth))
        }
        return shifts
    }

    private func bootstrap(_ length: Int, _ seed: UInt64) throws(ProfileError) -> BlockBootstrap {
        try BlockBootstrap(blockLength: length, replicates: policy.replicates, seed: seed)
    }

    /// Judges by Student's t, with the degrees of freedom of Welch and Satterthwaite, as many as there are blocks: a
    /// bootstrap's own tail would be too coarse for levels of one in a million. The variance of each side includes that
    /// of a number known only to its bucket, width² / 12.
    private func shift(
        _ percentile: Double,
        _ old: QuantileEstimates.Estimate,
        _ new: QuantileEstimates.Estimate,
        _ blocks: (Int, Int),
        _ recent: Double,
        _ width: Double
    ) throws(ProfileError) -> Shift {
        let rounding = width * width / 12
        let variances = (old.error * old.error + rounding, new.error * new.error + rounding)
        let sum = variances.0 + variances.1
        let spread =
            variances.0 * variances.0 / Double(blocks.0 - 1) + variances.1 * variances.1 / Double(blocks.1 - 1)
        let value = new.value - old.value
        let student = try StudentDistribution(degrees: sum * sum / spread)
        return Shift(
            percentile: percentile,
            value: value,
            error: sum.squareRoot(),
            pValue: student.upper(value / sum.squareRoot()),
            recent: recent
        )
    }
}
