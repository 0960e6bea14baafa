// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The windows of one side of a comparison, with cached results: a baseline is compared at every look.
struct WindowSet {
    /// The histograms, each of a window with enough requests.
    let durations: [ExponentialHistogramData]
    /// The coarsest resolution among them; nil if there are none.
    let schema: Int?
    private var table: WindowTable?
    /// The outer nil means not computed yet, the inner nil that there is none.
    private var time: Double??
    private var estimates: [Int: QuantileEstimates] = [:]

    init(_ durations: [ExponentialHistogramData]) {
        self.durations = durations
        schema = durations.map(\.schema).min()
    }

    /// The windows at the given resolution. A change of the resolution discards the cached results.
    mutating func table(schema: Int) -> WindowTable {
        if let table, table.schema == schema { return table }
        let made = WindowTable(durations, schema: schema)
        table = made
        time = nil
        estimates = [:]
        return made
    }

    /// The longer autocorrelation time of windows' medians and 90th percentiles, in windows; nil if one is 0 or
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

/// The logarithms of some quantiles of many windows, with their standard errors from a circular block bootstrap.
struct QuantileEstimates {
    /// A quantile's logarithm and its standard error.
    struct Estimate {
        let value: Double
        let error: Double
    }

    /// In the order of the probabilities; nil if a quantile is not positive or infinite.
    let estimates: [Estimate?]
    /// How many independent blocks the windows are.
    let blocks: Int

    init(_ table: WindowTable, _ probabilities: [Double], _ bootstrap: BlockBootstrap) {
        blocks = table.windows / bootstrap.blockLength
        let once = [Double](repeating: 1, count: table.windows)
        let values = probabilities.map { table.logQuantile($0, weights: once) }
        var replicates = [[Double]](repeating: [], count: probabilities.count)
        bootstrap.forEachResample(of: table.windows) { indices in
            var weights = [Double](repeating: 0, count: table.windows)
            for index in indices { weights[index] += 1 }
            for (position, probability) in probabilities.enumerated() {
                guard let guess = values[position],
                    let value = table.logQuantile(probability, weights: weights, near: guess)
                else { continue }
                replicates[position].append(value)
            }
        }
        estimates = zip(values, replicates).map { value, replicates in
            guard let value, replicates.count == bootstrap.replicates else { return nil }
            return Estimate(value: value, error: Statistics.spread(replicates))
        }
    }
}
