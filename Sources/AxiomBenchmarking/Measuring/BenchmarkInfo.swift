// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What a program says about one of its benchmarks, when it is asked for its list: all that must be known to measure
/// and judge it, across builds.
struct BenchmarkInfo: Codable, Sendable {
    struct Goal: Codable, Sendable {
        let limit: Double
        let reference: String?
        let without: String?
        let statement: String?
    }

    /// The metric that the benchmark defines itself.
    struct Own: Codable, Sendable {
        let unit: String
        let kind: String
        let isLowerBetter: Bool
    }

    let id: String
    let suite: String
    let size: Int?
    let version: Int
    let countedIterations: Int
    let sampleNanoseconds: Int64
    let minimumEffect: Double?
    let absoluteFloor: Double
    let judgesTime: Bool
    let isPinned: Bool
    let bytesPerIteration: Double?
    let tags: [String]
    let goal: Goal?
    /// Why it is not measured.
    let unmeasured: String?
    let own: Own?
    let file: String
    let line: Int

    init(_ benchmark: Benchmark) {
        let options = benchmark.options
        id = benchmark.id
        suite = benchmark.suite
        size = benchmark.size
        version = options.version
        countedIterations = max(1, options.countedIterations)
        sampleNanoseconds = max(1_000, options.sampleDuration.clampedNanoseconds)
        minimumEffect = options.minimumEffect
        absoluteFloor = options.absoluteFloor
        judgesTime = options.judgesTime
        isPinned = options.isPinned
        bytesPerIteration = options.bytesPerIteration
        tags = options.tags
        goal = options.goal.map {
            Goal(limit: $0.limit, reference: $0.reference, without: $0.without, statement: $0.statement)
        }
        own = benchmark.ownMetric.map {
            Own(unit: $0.unit, kind: $0.kind.description, isLowerBetter: $0.isLowerBetter)
        }
        if case .nothing(let reason) = benchmark.work { unmeasured = reason } else { unmeasured = nil }
        file = benchmark.file
        line = benchmark.line
    }

    /// The metric that the benchmark defines itself.
    var ownMetric: Metric? {
        own.map { own in
            let kind = MetricKind(named: own.kind) ?? .information
            return Metric("value", unit: own.unit, kind: kind, isLowerBetter: own.isLowerBetter)
        }
    }

    /// The name without the size.
    var family: String { String(id.prefix { $0 != "?" }) }
}
