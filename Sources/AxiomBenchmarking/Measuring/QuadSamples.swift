// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import Foundation

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
