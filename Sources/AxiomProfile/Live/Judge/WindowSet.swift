// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The windows of one side of a comparison, and what was worked out about them: a baseline is asked the same at every
/// look.
struct WindowSet {
    /// The histograms, each of a window with enough requests.
    let durations: [ExponentialHistogramData]
    /// The coarsest resolution among them; nil when there are none.
    let schema: Int?
    private var table: WindowTable?
    /// Outer nil: not known yet. Inner nil: it cannot be known.
    private var time: Double??
    private var estimates: [Int: QuantileEstimates] = [:]

    init(_ durations: [ExponentialHistogramData]) {
        self.durations = durations
        schema = durations.map(\.schema).min()
    }

    /// The windows at the given resolution. Another one than before makes everything be worked out anew.
    mutating func table(schema: Int) -> WindowTable {
        if let table, table.schema == schema { return table }
        let made = WindowTable(durations, schema: schema)
        table = made
        time = nil
        estimates = [:]
        return made
    }

    /// The longer autocorrelation time of windows' medians and 90th percentiles, in windows; nil when one is 0 or
    /// infinite.
    mutating func time(_ table: WindowTable) throws(ProfileError) -> Double? {
        if let time { return time }
        guard let medians = table.series(0.5), let tails = table.series(0.9) else {
            time = .some(nil)
            return nil
        }
        let found = max(try Autocorrelation.time(of: medians), try Autocorrelation.time(of: tails))
        time = found
        return found
    }

    /// Estimates of all percentiles of a policy.
    mutating func estimates(
        _ table: WindowTable,
        _ percentiles: [Double],
        _ bootstrap: BlockBootstrap
    ) -> QuantileEstimates {
        if let known = estimates[bootstrap.blockLength] { return known }
        let made = QuantileEstimates(table, percentiles, bootstrap)
        estimates[bootstrap.blockLength] = made
        return made
    }
}
