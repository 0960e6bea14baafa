// SPDX-License-Identifier: Apache-2.0

import AxiomBase

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

    /// The value of which so large a share lies at or below; not a number when there are none.
    func percentile(_ share: Double) -> Double {
        guard !milliseconds.isEmpty else { return .nan }
        let sorted = milliseconds.sorted()
        return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
    }

    var mean: Double { milliseconds.reduce(0, +) / Double(milliseconds.count) }
    var total: Double { milliseconds.reduce(0, +) }
    var largest: Double { milliseconds.max() ?? .nan }
}
