// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// A histogram in which the operations of a budget are recorded.
enum BudgetSource: Sendable {
    /// The tail counts what is beyond the histogram's bounds.
    case classic(Histogram, tail: ActionTail? = nil)
    case exponential(ExponentialHistogram)

    enum Reading {
        case classic(HistogramSnapshot, tail: [UInt64] = [])
        case exponential(ExponentialHistogramData)
    }

    var instrument: Instrument {
        switch self {
        case .classic(let histogram, _): histogram
        case .exponential(let histogram): histogram
        }
    }

    /// The number of observations.
    var count: UInt64 {
        switch self {
        case .classic(let histogram, _): histogram.count
        case .exponential(let histogram): histogram.count
        }
    }

    var read: Reading {
        switch self {
        case .classic(let histogram, let tail): .classic(histogram.reading, tail: tail?.counts ?? [])
        case .exponential(let histogram): .exponential(histogram.data)
        }
    }
}
