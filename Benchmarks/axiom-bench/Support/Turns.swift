// SPDX-License-Identifier: Apache-2.0

import AxiomBase

/// Measures several bodies in turns in one process, for a value that sets their times in relation: a machine that gets
/// slower meanwhile does so for all of them.
enum Turns {
    /// Nanoseconds of one iteration of each body: the first decile of the rounds, which is what it takes while nobody
    /// else has the processors.
    ///
    /// - Parameter bodies: Each runs its operation as often as it is told.
    static func times(
        rounds: Int,
        iterations: Int,
        _ bodies: [(_ iterations: Int) async throws -> Void]
    ) async throws -> [Double] {
        var times = bodies.map { _ in [Double]() }
        for round in -1..<rounds {
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
