// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A build of the benchmarks: the executable that runs as a worker.
struct MeasuredProgram: Sendable {
    var path: String
    /// What its linker recorded, to link it in another order; see ``FunctionOrder``.
    var archive: String?
    /// The share by which its samples are made longer, for self-tests.
    var injected = 0.0
    /// Its names of benchmarks that are called otherwise elsewhere, by that name.
    var renamed: [String: String] = [:]
    /// Variables of the environment of its workers.
    var environment: [String: String] = [:]

    static var current: MeasuredProgram {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return MeasuredProgram(path: path ?? CommandLine.arguments[0])
    }

    func worker(
        _ benchmark: BenchmarkInfo,
        processor: Int? = nil,
        wrapper: [String] = [],
        environment: [String: String] = [:]
    ) throws(BenchmarkError) -> WorkerProcess {
        let arguments = WorkerArguments.worker(
            id: renamed[benchmark.id] ?? benchmark.id,
            processor: benchmark.isPinned ? processor : nil,
            injected: injected
        )
        return try WorkerProcess(
            wrapper + [path] + arguments.arguments,
            id: benchmark.id,
            environment: self.environment.merging(environment) { $1 },
            patience: wrapper.isEmpty ? .seconds(60) : .seconds(300)
        )
    }

    /// Lists the benchmarks of the program.
    ///
    /// - Throws: ``BenchmarkError`` with the code `crashed` if it is not a benchmark program.
    func list() throws(BenchmarkError) -> [BenchmarkInfo] {
        let output = try ProgramOutput.run([path] + WorkerArguments.list.arguments)
        guard output.status == 0,
            let list = try? JSONDecoder().decode([BenchmarkInfo].self, from: Data(output.text.utf8))
        else {
            throw BenchmarkError(
                .crashed,
                "\(path) does not list its benchmarks: both builds must use one version of AxiomBenchmarking",
                cause: output.text.isEmpty ? "exit code \(output.status)" : String(output.text.prefix(300))
            )
        }
        return list
    }
}

/// The description of a benchmark in a program's list: all that is needed to measure and judge it, also in another
/// build.
struct BenchmarkInfo: Codable, Sendable {
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
    /// nil in a list of an earlier build.
    let uncounted: String?
    let sampleNanoseconds: Int64
    let minimumEffect: Double?
    let absoluteFloor: Double
    let judgesTime: Bool
    let isPinned: Bool
    /// nil in a list of an earlier build.
    let isBelowNanosecond: Bool?
    let bytesPerIteration: Double?
    let goal: BenchmarkGoal.Content?
    /// The reason if it is not measured.
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
        uncounted = options.uncounted
        sampleNanoseconds = max(1_000, options.sampleDuration.clampedNanoseconds)
        minimumEffect = options.minimumEffect
        absoluteFloor = options.absoluteFloor
        judgesTime = options.judgesTime
        isPinned = options.isPinned
        isBelowNanosecond = options.isBelowNanosecond
        bytesPerIteration = options.bytesPerIteration
        goal = options.goal?.content
        own = benchmark.ownMetric.map {
            Own(unit: $0.unit, kind: $0.kind.name, isLowerBetter: $0.isLowerBetter)
        }
        if case .nothing(let reason) = benchmark.work { unmeasured = reason } else { unmeasured = nil }
        file = benchmark.file
        line = benchmark.line
    }

    /// The metric that the benchmark defines itself.
    var ownMetric: Metric? {
        own.map { own in
            let kind = MetricPrecision(named: own.kind) ?? .information
            return Metric("value", unit: own.unit, kind: kind, isLowerBetter: own.isLowerBetter)
        }
    }

    /// The name without the size.
    var family: String { String(id.prefix { $0 != "?" }) }
}
