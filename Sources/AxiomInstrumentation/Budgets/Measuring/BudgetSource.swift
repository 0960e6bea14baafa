// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// A histogram in which the operations of a budget are recorded.
enum BudgetSource: Sendable {
    case classic(Histogram)
    case exponential(ExponentialHistogram)

    enum Reading {
        case classic(HistogramSnapshot)
        case exponential(ExponentialHistogramData)
    }

    var instrument: Instrument {
        switch self {
        case .classic(let histogram): histogram
        case .exponential(let histogram): histogram
        }
    }

    /// The number of observations.
    var count: UInt64 {
        switch self {
        case .classic(let histogram): histogram.count
        case .exponential(let histogram): histogram.data.count
        }
    }

    var read: Reading {
        switch self {
        case .classic(let histogram): .classic(histogram.reading)
        case .exponential(let histogram): .exponential(histogram.data)
        }
    }
}
