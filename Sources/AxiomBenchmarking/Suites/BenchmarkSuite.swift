// SPDX-License-Identifier: Apache-2.0

/// Benchmarks that belong together.
///
/// ```swift
/// let strings = BenchmarkSuite("strings") { suite in
///     suite.add("uppercased") { iterations in
///         for _ in 0..<iterations { blackHole(opaque("axiom").uppercased()) }
///     }
/// }
/// ```
///
/// The body has the loop over `iterations`, so that the compiler optimizes the operation as in a program; ``opaque(_:)`` and
/// ``blackHole(_:)`` within the loop keep it from optimizing the operation away. Each benchmark
/// is measured in its own processes. Create what it needs in `fixture` or `setUp`, not while suites are declared.
public struct BenchmarkSuite: Sendable {
    /// The name, the first part of the identifiers of the benchmarks.
    package let name: String
    private(set) var benchmarks: [Benchmark] = []

    /// Makes a suite with the benchmarks that `declare` adds.
    public init(_ name: String, _ declare: (inout BenchmarkSuite) throws -> Void) rethrows {
        self.name = name
        try declare(&self)
    }

    /// Adds a benchmark.
    ///
    /// - Parameters:
    ///   - id: The name within the suite; with the suite's it must be unique.
    ///   - options: How it is measured and judged.
    ///   - body: Runs the operation `iterations` times.
    public mutating func add(
        _ id: String,
        options: BenchmarkOptions = .init(),
        file: String = #filePath,
        line: Int = #line,
        _ body: @escaping @Sendable (_ iterations: Int) throws -> Void
    ) {
        add(id, options: options, fixture: (), file: file, line: line) { _, iterations in try body(iterations) }
    }

    /// Adds a benchmark with a fixture.
    ///
    /// - Parameter fixture: Evaluated once in each process that measures the benchmark, not here.
    public mutating func add<Fixture>(
        _ id: String,
        options: BenchmarkOptions = .init(),
        fixture: @autoclosure @escaping @Sendable () throws -> Fixture,
        file: String = #filePath,
        line: Int = #line,
        _ body: @escaping @Sendable (_ fixture: Fixture, _ iterations: Int) throws -> Void
    ) {
        let work = Benchmark.Work.body {
            let fixture = try fixture()
            return { iterations, meter in
                meter.start()
                try body(fixture, iterations)
                meter.stop()
            }
        }
        append(id, options, work, nil, file, line)
    }

    /// Adds a benchmark whose body consumes its state. `setUp` runs before each sample and `tearDown` after it; neither is
    /// measured.
    ///
    /// - Parameter setUp: Receives the number of iterations of the sample.
    public mutating func add<State>(
        _ id: String,
        options: BenchmarkOptions = .init(),
        setUp: @escaping @Sendable (_ iterations: Int) throws -> State,
        tearDown: @escaping @Sendable (State) -> Void = { _ in },
        file: String = #filePath,
        line: Int = #line,
        _ body: @escaping @Sendable (_ state: inout State, _ iterations: Int) throws -> Void
    ) {
        append(id, options, Self.work(setUp, tearDown, body), nil, file, line)
    }

    /// Adds a benchmark for each size of its work, as `id?n=1000`. The report states how cost grows with the size.
    ///
    /// - Parameter sizes: Each above 0; three or more, spread widely, make a good estimate of growth.
    public mutating func add<State>(
        _ id: String,
        sizes: [Int],
        options: BenchmarkOptions = .init(),
        setUp: @escaping @Sendable (_ size: Int, _ iterations: Int) throws -> State,
        file: String = #filePath,
        line: Int = #line,
        _ body: @escaping @Sendable (_ state: inout State, _ iterations: Int) throws -> Void
    ) {
        for size in sizes {
            let work = Self.work({ iterations in try setUp(size, iterations) }, { (_: State) in }, body)
            append("\(id)?n=\(size)", options, work, size, file, line)
        }
    }

    /// Adds a benchmark with an asynchronous body. It runs in a detached task: from the main actor, every call would cost
    /// tens of microseconds for the hops.
    ///
    /// - Parameter fixture: Evaluated once in each process that measures the benchmark, not here.
    public mutating func addAsync<Fixture: Sendable>(
        _ id: String,
        options: BenchmarkOptions = .init(),
        fixture: @escaping @Sendable () async throws -> Fixture,
        file: String = #filePath,
        line: Int = #line,
        _ body: @escaping @Sendable (_ fixture: Fixture, _ iterations: Int) async throws -> Void
    ) {
        let work = Benchmark.Work.body {
            let fixture = try DetachedBody.run { try await fixture() }
            return { iterations, meter in
                try DetachedBody.run {
                    meter.start()
                    try await body(fixture, iterations)
                    meter.stop()
                }
            }
        }
        append(id, options, work, nil, file, line)
    }

    /// Adds a benchmark with an asynchronous body without a fixture.
    public mutating func addAsync(
        _ id: String,
        options: BenchmarkOptions = .init(),
        file: String = #filePath,
        line: Int = #line,
        _ body: @escaping @Sendable (_ iterations: Int) async throws -> Void
    ) {
        let alone: @Sendable (Void, Int) async throws -> Void = { _, iterations in try await body(iterations) }
        addAsync(id, options: options, fixture: {}, file: file, line: line, alone)
    }

    /// Adds a benchmark that measures itself and returns a number: bytes, a percentile, a rate.
    ///
    /// - Parameters:
    ///   - unit: The unit of the number, as `bytes/series`.
    ///   - kind: How numbers of two builds are compared.
    ///   - isLowerBetter: Whether less is better.
    ///   - measure: Runs once in each process.
    public mutating func addValue(
        _ id: String,
        unit: String,
        kind: MetricPrecision = .noisy,
        isLowerBetter: Bool = true,
        options: BenchmarkOptions = .init(),
        file: String = #filePath,
        line: Int = #line,
        _ measure: @escaping @Sendable () async throws -> Double
    ) {
        let metric = Metric("value", unit: unit, kind: kind, isLowerBetter: isLowerBetter)
        append(id, options, .value(metric) { try DetachedBody.run(measure) }, nil, file, line)
    }

    /// Adds a goal that is not measured, so that a table of goals is complete.
    ///
    /// - Parameter reason: Why it is not measured, as `not built` or `n/a: no display`.
    package mutating func addUnmeasured(
        _ id: String,
        goal: BenchmarkGoal,
        reason: String,
        file: String = #filePath,
        line: Int = #line
    ) {
        append(id, .goal(goal), .nothing(reason), nil, file, line)
    }

    private static func work<State>(
        _ setUp: @escaping @Sendable (Int) throws -> State,
        _ tearDown: @escaping @Sendable (State) -> Void,
        _ body: @escaping @Sendable (inout State, Int) throws -> Void
    ) -> Benchmark.Work {
        .body {
            { iterations, meter in
                var state = try setUp(iterations)
                defer { tearDown(state) }
                meter.start()
                try body(&state, iterations)
                meter.stop()
            }
        }
    }

    private mutating func append(
        _ id: String,
        _ options: BenchmarkOptions,
        _ work: Benchmark.Work,
        _ size: Int?,
        _ file: String,
        _ line: Int
    ) {
        benchmarks.append(
            Benchmark(
                id: "\(name)/\(id)",
                suite: name,
                options: options,
                work: work,
                size: size,
                file: file,
                line: line
            )
        )
    }
}
