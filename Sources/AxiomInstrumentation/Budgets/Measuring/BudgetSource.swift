// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// A histogram that records the operations of a budget.
enum BudgetSource: Sendable {
    /// The tail counts durations beyond the histogram's bounds.
    case classic(Histogram, tail: ActionTail? = nil)
    case exponential(ExponentialHistogram)
    /// Components that can leak. They are counted and have no duration.
    case components(Counted)

    /// A number that is counted elsewhere.
    final class Counted: Sendable {
        let count: @Sendable () -> UInt64

        init(_ count: @escaping @Sendable () -> UInt64) {
            self.count = count
        }
    }

    enum Reading {
        case classic(HistogramSnapshot, tail: [UInt64] = [])
        case exponential(ExponentialHistogramData)
    }

    /// Two sources with the same identity count the same operations.
    var identity: ObjectIdentifier {
        switch self {
        case .classic(let histogram, _): ObjectIdentifier(histogram)
        case .exponential(let histogram): ObjectIdentifier(histogram)
        case .components(let counted): ObjectIdentifier(counted)
        }
    }

    /// The number of observations.
    var count: UInt64 {
        switch self {
        case .classic(let histogram, _): histogram.count
        case .exponential(let histogram): histogram.count
        case .components(let counted): counted.count()
        }
    }

    /// Nil if nothing is measured.
    var read: Reading? {
        switch self {
        case .classic(let histogram, let tail): .classic(histogram.reading, tail: tail?.counts ?? [])
        case .exponential(let histogram): .exponential(histogram.data)
        case .components: nil
        }
    }
}
