// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// How a benchmark is sampled: iterations in a sample, and groups of four samples in a pair.
struct SamplingPlan {
    /// Groups of four samples in a pair, for bodies of the usual length.
    private static let mostQuads = 18
    /// The sampling time of a pair, in nanoseconds, beyond which there are fewer groups.
    private static let pairTime = 200_000_000.0

    let iterations: Int
    private(set) var quads: Int
    /// The time of four times as many iterations over the time of these.
    let growth: Double
    /// The time of one iteration.
    let nanoseconds: Double

    /// The plan of a pair that takes a quarter of the time. Where times differ from process to process, as with the addresses
    /// that the branch predictor sees, four short pairs say more than one long one.
    var short: SamplingPlan {
        var plan = self
        plan.quads = max(3, (quads + 2) / 4)
        return plan
    }

    /// Finds how many iterations fill a sample, with a worker of `program`.
    init(_ program: MeasuredProgram, _ benchmark: BenchmarkInfo, processor: Int?) throws(BenchmarkError) {
        guard benchmark.own == nil else {
            (iterations, quads, growth, nanoseconds) = (1, 1, 4, 0)
            return
        }
        let worker = try program.worker(benchmark, processor: processor)
        let answer = try worker.ask(.calibrate(nanoseconds: benchmark.sampleNanoseconds))
        guard answer.count == 3 else { throw BenchmarkError(.crashed, "\(benchmark.id) gave no calibration") }
        let four = 4 * answer[0] * answer[1]
        iterations = Int(answer[0])
        quads = Int(min(Double(Self.mostQuads), max(3, (Self.pairTime / max(four, 1)).rounded())))
        growth = answer[2]
        nanoseconds = answer[1]
    }
}

/// Measures pairs of processes, one of each build, on one processor and in turns.
///
/// Each pair is two new processes with another layout of memory and other seeds of hashes. Within a pair, samples come in
/// groups of four in balanced order (ABBA or BAAB), so that a machine that becomes slower affects both builds equally. The pair is the unit of every test: samples of one process resemble each other too much to count as several.
struct PairRunner {
    var baseline: MeasuredProgram
    var current: MeasuredProgram

    func pair(
        _ benchmark: BenchmarkInfo,
        _ plan: SamplingPlan,
        processor: Int?,
        _ generator: inout SeededGenerator
    ) throws(BenchmarkError) -> [Metric: PairedValue] {
        // The order in which the processes start is random as well.
        let isSwapped = generator.index(below: 2) == 1
        let first = try (isSwapped ? current : baseline).worker(benchmark, processor: processor)
        let second = try (isSwapped ? baseline : current).worker(benchmark, processor: processor)
        let (old, new) = isSwapped ? (second, first) : (first, second)
        var values: [Metric: PairedValue] = [:]
        if let metric = benchmark.ownMetric {
            let (one, two) = (try first.ask(.value).first ?? .nan, try second.ask(.value).first ?? .nan)
            values[metric] = Self.paired(isSwapped ? two : one, isSwapped ? one : two, metric)
        } else {
            values = try Self.times(old, new, plan, &generator)
        }
        let (before, after) = (try old.ask(.facts), try new.ask(.facts))
        if let peak = before.first, let now = after.first, peak > 0, now > 0 {
            values[.peakRSS] = Self.paired(peak, now, .peakRSS)
        }
        return values
    }

    private static func times(
        _ old: WorkerProcess,
        _ new: WorkerProcess,
        _ plan: SamplingPlan,
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

/// The samples of a pair, in fours: two of each build.
struct QuadSamples {
    private static let metrics: [Metric] = [.wall, .cpu]
    /// By metric, then by build: old, new.
    private var samples: [[[Double]]] = metrics.map { _ in [[], []] }

    /// Takes a sample: nanoseconds on the clock and of the processor, for an iteration.
    mutating func add(_ times: [Double], isNew: Bool) {
        for (index, time) in times.prefix(Self.metrics.count).enumerated() {
            samples[index][isNew ? 1 : 0].append(time)
        }
    }

    /// For each metric the median over the fours of the mean logarithm of the new build's samples less that of the
    /// old one's; without metrics that a clock could not resolve.
    var values: [Metric: PairedValue] {
        var values: [Metric: PairedValue] = [:]
        for (index, metric) in Self.metrics.enumerated() {
            let (old, new) = (samples[index][0], samples[index][1])
            guard !old.isEmpty, old.count == new.count, (old + new).allSatisfy({ $0 > 0 }) else { continue }
            let differences = stride(from: 0, to: old.count - 1, by: 2).map { first -> Double in
                let before = log(old[first]) + log(old[first + 1])
                let after = log(new[first]) + log(new[first + 1])
                return (after - before) / 2
            }
            guard let centre = try? Statistics.median(differences), let before = try? Statistics.median(old),
                let after = try? Statistics.median(new)
            else { continue }
            values[metric] = PairedValue(logRatio: centre, baseline: before, current: after)
        }
        return values
    }
}

/// What is doubtful about a benchmark itself.
enum Lint {
    /// The doubts, with their remedies. An iteration took `nanoseconds`.
    static func check(_ benchmark: BenchmarkInfo, _ plan: SamplingPlan, nanoseconds: Double) -> [String] {
        guard benchmark.own == nil else { return [] }
        if nanoseconds < 1, benchmark.isBelowNanosecond != true {
            return [
                "measured less than a nanosecond: is the work removed by the optimiser? Within the loop, pass inputs "
                    + "through opaque and results to blackHole"
            ]
        }
        if plan.growth < 2 {
            return ["four times the iterations take \(Format.number(plan.growth)) times as long: does the body loop?"]
        }
        let sample = Double(plan.iterations) * plan.nanoseconds
        if sample < 20_000 { return ["a sample takes \(Format.time(sample)): too short beside the clock's own cost"] }
        if sample > 50 * Double(benchmark.sampleNanoseconds) {
            return ["an iteration takes \(Format.time(plan.nanoseconds)): few fit into a run, so that little is found"]
        }
        return []
    }
}
