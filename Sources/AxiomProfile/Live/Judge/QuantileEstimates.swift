// SPDX-License-Identifier: Apache-2.0

/// The logarithms of some quantiles of many windows, with their standard errors from a circular block bootstrap.
struct QuantileEstimates {
    /// A quantile's logarithm and its standard error.
    struct Estimate {
        let value: Double
        let error: Double
    }

    /// In the order of the probabilities; nil where a quantile is not positive or infinite.
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
