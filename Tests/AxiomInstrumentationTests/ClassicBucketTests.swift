// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import Foundation
import Testing

@testable import AxiomInstrumentation

/// `histogram_quantile` of Prometheus, of a classic histogram with the number of values in each bucket.
private func quantile(_ share: Double, _ counts: [Double], _ bounds: [Double]) -> Double {
    let rank = share * counts.reduce(0, +)
    var below = 0.0
    for (index, count) in counts.enumerated() {
        if below + count >= rank, count > 0 {
            guard index < bounds.count else { break }
            let start = index == 0 ? 0 : bounds[index - 1]
            return start + (bounds[index] - start) * (rank - below) / count
        }
        below += count
    }
    return bounds[bounds.count - 1]
}

@Suite("Classic buckets of durations", .timeLimit(.minutes(10)))
struct ClassicBucketTests {
    @Test("histogram_quantile is at most 34 % too high and 26 % too low from 1 ms to 10 s, whatever the distribution")
    func error() {
        for buckets in [Buckets.axiomLatency, .axiomFullLatency] {
            var (lowest, highest) = (1.0, 1.0)
            for seed: UInt64 in 0..<400 {
                var random = SeededGenerator(seed: seed)
                let durations = durations(&random)
                let counts = counts(durations, buckets.upperBounds)
                for share in [0.05, 0.5, 0.9, 0.95, 0.99, 0.999] {
                    let exact = durations[max(0, Int((share * Double(durations.count)).rounded(.up)) - 1)]
                    let ratio = quantile(share, counts, buckets.upperBounds) / exact
                    (lowest, highest) = (min(lowest, ratio), max(highest, ratio))
                }
            }
            #expect(highest <= 1.345 && lowest >= 0.74, "\(lowest) to \(highest)")
            // The distributions come near to the bounds, or the test would say nothing.
            #expect(highest > 1.3 && lowest < 0.8, "\(lowest) to \(highest)")
        }
    }

    /// Up to 5,000 durations of one to four groups of random place and width, some of them points, in seconds, sorted.
    private func durations(_ random: inout SeededGenerator) -> [Double] {
        let widths = [0, 0.01, 0.3, 1]
        let groups = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let center = Double.random(in: log(0.001)...log(10), using: &random)
            return (center: center, width: widths[Int.random(in: 0..<4, using: &random)])
        }
        return (0..<Int.random(in: 1...5_000, using: &random)).map { _ in
            let group = groups[Int.random(in: 0..<groups.count, using: &random)]
            let value = exp(group.center + group.width * Double.random(in: -1...1, using: &random))
            return min(10, max(0.001_000_001, value))
        }.sorted()
    }

    private func counts(_ sorted: [Double], _ bounds: [Double]) -> [Double] {
        var counts = [Double](repeating: 0, count: bounds.count + 1)
        for value in sorted { counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1 }
        return counts
    }

    @Test("A page has the bounds, and those that the budgets of the specification need with full detail")
    func bounds() {
        let (lean, full) = (Buckets.axiomLatency.upperBounds, Buckets.axiomFullLatency.upperBounds)
        #expect(lean.count == 34 && lean == lean.sorted() && Set(lean).isSuperset(of: [0.001, 0.01, 0.05, 0.1, 1, 10]))
        #expect(Set(full).isSuperset(of: lean) && full == full.sorted() && Set(full).count == full.count)
        let limits = PerformanceBudget.specification.filter { $0.limit.unit == .time && $0.isMeasured }
        #expect(!limits.isEmpty)
        for budget in limits where budget.limit.metricValue <= 1 {
            #expect(full.contains(budget.limit.metricValue), "\(budget.id): \(budget.limit)")
        }
    }
}
