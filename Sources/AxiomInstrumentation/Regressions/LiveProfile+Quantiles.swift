// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomProfile

extension LiveProfile {
    /// The quantiles of all windows together, in seconds.
    func quantiles(_ probabilities: [Double]) -> [Double] {
        var all = ExponentialHistogramData.empty
        for window in windows { all.merge(window.durations) }
        return probabilities.map { all.quantile($0) }
    }
}
