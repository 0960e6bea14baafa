// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How long things took, by name: exponential histograms, of a bounded number of names.
final class DurationTable: Sendable {
    /// The most names; what comes under further ones is recorded under ``others``.
    static let nameLimit = 200
    static let others = "_overflow"

    private struct State {
        var histograms: [String: ExponentialHistogramData] = [:]
    }

    /// Guarded by its lock, which is held for one look-up and one addition.
    private let state = Lock(State())

    func record(_ nanoseconds: Int64, _ name: String) {
        state.withLock { state in
            let isKnown = state.histograms[name] != nil || state.histograms.count < Self.nameLimit
            let name = isKnown ? name : Self.others
            state.histograms[name, default: .empty].record(Double(nanoseconds) / 1e9)
            state.histograms[name]?.limitBuckets(to: 160)
        }
    }

    var summaries: [String: DurationSummary] {
        state.withLock { $0.histograms }.mapValues { DurationSummary($0) }
    }
}

/// What durations of one name come to, in seconds.
public struct DurationSummary: Sendable, Hashable {
    /// How many there were.
    public let count: UInt64
    /// Their arithmetic mean.
    public let mean: Double
    /// Half of them took no longer; as the percentiles within ``relativeError``.
    public let median: Double
    /// 95 of 100 took no longer.
    public let p95: Double
    /// 99 of 100 took no longer.
    public let p99: Double
    /// By what share of it a percentile may differ from the duration of its rank.
    public let relativeError: Double

    init(_ data: ExponentialHistogramData) {
        count = data.count
        mean = data.sum / Double(data.count)
        median = data.quantile(0.5)
        p95 = data.quantile(0.95)
        p99 = data.quantile(0.99)
        relativeError = data.relativeError
    }
}
