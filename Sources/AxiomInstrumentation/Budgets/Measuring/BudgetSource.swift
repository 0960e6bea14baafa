// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// What counts the operations of a budget.
enum BudgetSource: Sendable {
    /// A histogram of their durations, in seconds, or of their sizes, in bytes.
    case histogram(ExponentialHistogram)
    /// Components that can leak. They are counted and have no duration.
    case components(ComponentDescriptor, ComponentCensus)

    /// Two sources with the same identity count the same operations.
    var identity: AnyHashable {
        switch self {
        case .histogram(let histogram): ObjectIdentifier(histogram)
        case .components(let component, _): component
        }
    }

    /// The number of observations.
    var count: UInt64 {
        switch self {
        case .histogram(let histogram): histogram.count
        case .components(let component, let census): census.created(component)
        }
    }

    /// Nil if nothing is measured.
    var distribution: ExponentialHistogramData? {
        switch self {
        case .histogram(let histogram): histogram.data
        case .components: nil
        }
    }
}
