// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import Foundation

/// One metric of one pair of processes.
package struct PairedValue: Hashable, Sendable {
    /// The natural logarithm of the current build's over the baseline's.
    package let logRatio: Double
    /// The median of the baseline's samples, in the metric's unit.
    package let baseline: Double
    /// The median of the current build's.
    package let current: Double

    package init(logRatio: Double, baseline: Double, current: Double) {
        self.logRatio = logRatio
        self.baseline = baseline
        self.current = current
    }
}

/// Measures pairs of processes, one of each build, on one processor and in turns.
///
/// Each pair is two new processes, so that the layout of memory and the seeds of hashes are drawn anew; within it,
/// samples come in fours of balanced order (ABBA or BAAB), so that a machine that gets slower meanwhile does so for
/// both. The pair is the unit of every test: samples of one process resemble each other too much to count as several.
struct PairRunner {
    /// Fours of samples in a pair, for bodies that are as short as they should be.
    static let quads = 18
    /// How long a pair may sample, in nanoseconds, before there are fewer fours.
    private static let pairTime = 200_000_000.0

    let baseline: MeasuredProgram
    let current: MeasuredProgram

    /// How many iterations a sample has, and how many fours a pair.
    struct Plan {
        let iterations: Int
        let quads: Int
        /// The time of four times as many iterations over that of these.
        let growth: Double
        let nanoseconds: Double
    }

    /// Finds out how many iterations fill a sample, on the baseline's build.
    func plan(_ benchmark: BenchmarkInfo, processor: Int?) throws(BenchmarkError) -> Plan {
        guard benchmark.own == nil else { return Plan(iterations: 1, quads: 1, growth: 4, nanoseconds: 0) }
        let worker = try baseline.worker(benchmark, processor: processor)
        let answer = try worker.ask(.calibrate(nanoseconds: benchmark.sampleNanoseconds))
        guard answer.count == 3 else { throw BenchmarkError(.crashed, "\(benchmark.id) gave no calibration") }
        let four = 4 * answer[0] * answer[1]
        let quads = min(Double(Self.quads), max(3, (Self.pairTime / max(four, 1)).rounded()))
        return Plan(iterations: Int(answer[0]), quads: Int(quads), growth: answer[2], nanoseconds: answer[1])
    }

    /// Measures one pair.
    func pair(
        _ benchmark: BenchmarkInfo,
        _ plan: Plan,
        processor: Int?,
        _ generator: inout SeededGenerator
    ) throws(BenchmarkError) -> [Metric: PairedValue] {
        // Which comes first into a fresh processor is drawn too.
        let isSwapped = generator.index(below: 2) == 1
        let first = try (isSwapped ? current : baseline).worker(benchmark, processor: processor)
        let second = try (isSwapped ? baseline : current).worker(benchmark, processor: processor)
        let (old, new) = isSwapped ? (second, first) : (first, second)
        var values: [Metric: PairedValue] = [:]
        if let metric = benchmark.ownMetric {
            let (before, after) = try Self.values(first, second, isSwapped)
            values[metric] = Self.paired(before, after, metric)
        } else {
            values = try Self.times(old, new, plan, &generator)
        }
        let (before, after) = (try old.ask(.facts), try new.ask(.facts))
        if let peak = before.first, let now = after.first, peak > 0, now > 0 {
            values[.peakRSS] = Self.paired(peak, now, .peakRSS)
        }
        return values
    }

    private static func values(
        _ first: WorkerProcess,
        _ second: WorkerProcess,
        _ isSwapped: Bool
    ) throws(BenchmarkError) -> (Double, Double) {
        let one = try first.ask(.value).first ?? .nan
        let two = try second.ask(.value).first ?? .nan
        return isSwapped ? (two, one) : (one, two)
    }

    private static func times(
        _ old: WorkerProcess,
        _ new: WorkerProcess,
        _ plan: Plan,
        _ generator: inout SeededGenerator
    ) throws(BenchmarkError) -> [Metric: PairedValue] {
        for _ in 0..<Sampler.warmUps {
            _ = try old.ask(.sample(iterations: plan.iterations))
            _ = try new.ask(.sample(iterations: plan.iterations))
        }
        var quads = QuadSamples()
        var order = (0..<plan.quads).map { $0 % 2 == 0 }
        order.shuffle(using: &generator)
        for isReversed in order {
            for isNew in isReversed ? [true, false, false, true] : [false, true, true, false] {
                let answer = try (isNew ? new : old).ask(.sample(iterations: plan.iterations))
                quads.add(answer.map { $0 / Double(plan.iterations) }, isNew: isNew)
            }
        }
        return quads.values
    }

    static func paired(_ before: Double, _ after: Double, _ metric: Metric) -> PairedValue? {
        guard before > 0, after > 0 else { return nil }
        let ratio = log(after / before)
        return PairedValue(logRatio: metric.isLowerBetter ? ratio : -ratio, baseline: before, current: after)
    }
}
