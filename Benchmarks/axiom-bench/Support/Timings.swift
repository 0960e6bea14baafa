// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Measures several bodies in turns in one process, for a ratio of their times: a machine that becomes slower affects all
/// of them.
enum Turns {
    /// Nanoseconds of one iteration of each body: the first decile of the rounds, which excludes rounds that other
    /// processes disturbed.
    ///
    /// - Parameters:
    ///   - rounds: Fewer in a process that judges a goal.
    ///   - bodies: Each runs its operation `iterations` times.
    static func times(
        rounds: Int,
        iterations: Int,
        _ bodies: [(_ iterations: Int) async throws -> Void]
    ) async throws -> [Double] {
        var times = bodies.map { _ in [Double]() }
        for round in -1..<Repetitions.count(rounds) {
            for (index, body) in bodies.enumerated() {
                let start = TimeSource.live.now
                try await body(iterations)
                let time = Double(TimeSource.live.now.nanoseconds(since: start)) / Double(iterations)
                // The first round only warms up.
                if round >= 0 { times[index].append(time) }
            }
        }
        return times.map { $0.sorted()[$0.count / 10] }
    }
}

/// The processor time of this process.
enum ProcessorTime {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Milliseconds of repeated operations.
struct Durations {
    private var milliseconds: [Double] = []

    mutating func add(_ value: Double) { milliseconds.append(value) }

    /// Runs and times the operation once.
    mutating func time(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Void
    ) async rethrows {
        let start = TimeSource.live.now
        try await operation()
        add(TimeSource.live.now.seconds(since: start) * 1_000)
    }

    /// The quantile of rank `ceil(share · n)`; NaN if there are no durations.
    func percentile(_ share: Double) -> Double {
        guard !milliseconds.isEmpty else { return .nan }
        let sorted = milliseconds.sorted()
        return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
    }

    var mean: Double { milliseconds.reduce(0, +) / Double(milliseconds.count) }
    var total: Double { milliseconds.reduce(0, +) }
    var largest: Double { milliseconds.max() ?? .nan }
}
