// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// The comparison of a program with a copy of itself, which every run makes. If it finds a difference, times on this
/// machine cannot be judged at present.
struct NullControl: Hashable, Sendable {
    /// The largest deviation between pairs of equal programs, as a logarithm.
    static let greatestDeviation = 0.1
    /// Fewer pairs say nothing.
    static let leastPairs = 8

    let id: String
    let shift: ShiftEstimate
    let deviation: Double

    init(id: String, logRatios: [Double]) throws(ProfileError) {
        self.id = id
        shift = try HodgesLehmann.interval(of: logRatios, confidence: 0.99)
        deviation = try Statistics.standardDeviation(logRatios)
    }

    /// Why times cannot be judged; nil if they can.
    func problem(minimumEffect: Double) -> String? {
        if deviation > Self.greatestDeviation {
            return "pairs of the same program vary by \(Format.percent(deviation)) (\(id))"
        }
        if !shift.contains(0), abs(shift.value) >= log1p(minimumEffect) / 2 {
            return "the same program differs from itself by \(Format.percent(expm1(shift.value))) (\(id))"
        }
        return nil
    }
}

/// Measures the null controls of a run: a constant kernel, and with many benchmarks also one of them.
struct NullControls {
    private let runner: PairRunner
    private let benchmarks: [BenchmarkInfo]
    private var plans: [String: SamplingPlan] = [:]
    /// The logarithms of the ratios of the pairs, by benchmark.
    var pairs: [String: [Double]] = [:]

    /// - Parameter isOn: Whether there are any.
    init(_ program: MeasuredProgram, twin: MeasuredProgram, of all: [BenchmarkInfo], isOn: Bool) {
        var (one, other) = (program, twin)
        (one.injected, other.injected) = (0, 0)
        runner = PairRunner(baseline: one, current: other)
        let kernels = ReferenceKernels.suite.benchmarks.filter { $0.id.hasSuffix("/sort") }.map(BenchmarkInfo.init)
        let timed = all.first { $0.own == nil && $0.judgesTime }
        benchmarks = isOn ? kernels + (all.count >= 5 ? [timed].compactMap(\.self) : []) : []
    }

    /// Measures a pair of each control, or of one. Returns what could not be measured, and why.
    mutating func measure(_ id: String? = nil, processor: Int?, _ generator: inout SeededGenerator) -> [String] {
        benchmarks.filter { id == nil || $0.id == id }.compactMap { benchmark in
            do {
                let plan = try plans[benchmark.id] ?? SamplingPlan(runner.baseline, benchmark, processor: processor)
                plans[benchmark.id] = plan
                let values = try runner.pair(benchmark, plan, processor: processor, &generator)
                if let value = values[.wall] { pairs[benchmark.id, default: []].append(value.logRatio) }
                return nil
            } catch {
                return "the null control \(benchmark.id) could not be measured: \(error)"
            }
        }
    }

    /// The controls that have enough pairs.
    func results() throws(ProfileError) -> [NullControl] {
        var results: [NullControl] = []
        for (id, ratios) in pairs.sorted(by: { $0.key < $1.key }) where ratios.count >= NullControl.leastPairs {
            results.append(try NullControl(id: id, logRatios: ratios))
        }
        return results
    }
}
