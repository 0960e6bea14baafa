// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// A set of benchmarks that are measured in turns, so that a machine that gets slower or faster meanwhile does so for
/// all of them.
///
/// Bodies run in a detached task: awaited from the main actor, every asynchronous call would cost tens of
/// microseconds for the way there and back, which hides everything else.
public struct BenchmarkRun {
    private struct Benchmark {
        let id: String
        let body: @Sendable (Int) async -> Void
        var nanoseconds: [Double] = []
    }

    private var benchmarks: [Benchmark] = []
    private let iterations: Int
    private let rounds: Int

    /// Makes a run without benchmarks.
    ///
    /// - Parameters:
    ///   - iterations: How often the body's operation runs in one measurement.
    ///   - rounds: How many measurements are made of each benchmark; the median is reported.
    public init(iterations: Int, rounds: Int = 41) {
        self.iterations = iterations
        self.rounds = rounds
    }

    /// Adds a benchmark. `body` runs its operation as often as it is told.
    public mutating func add(_ id: String, _ body: @escaping @Sendable (_ iterations: Int) async -> Void) {
        benchmarks.append(Benchmark(id: id, body: body))
    }

    /// Measures everything, one round after the other.
    public mutating func run() async -> BenchmarkReport {
        for round in -1..<rounds {
            for index in benchmarks.indices {
                let time = await Self.time(benchmarks[index].body, iterations)
                // The first round only warms up.
                if round >= 0 { benchmarks[index].nanoseconds.append(time) }
            }
        }
        return BenchmarkReport(
            results: benchmarks.map { .init(id: $0.id, nanoseconds: $0.nanoseconds.sorted()) }
        )
    }

    private static func time(_ body: @escaping @Sendable (Int) async -> Void, _ iterations: Int) async -> Double {
        await Task.detached {
            let start = TimeSource.live.now
            await body(iterations)
            return Double(TimeSource.live.now.nanoseconds(since: start)) / Double(iterations)
        }.value
    }
}
