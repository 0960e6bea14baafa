// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Measures operations of one budget and component that no other metric records: a histogram, and the limit.
struct BudgetMeter: Sendable {
    let series: BudgetSeries
    private let histogram: ExponentialHistogram
    private let limit: Int64
    private let isTime: Bool

    init(_ series: BudgetSeries, _ histogram: ExponentialHistogram, limit: Int64) {
        self.series = series
        self.histogram = histogram
        self.limit = limit
        isTime = series.budget.limit.unit == .time
        series.add(.exponential(histogram))
    }

    /// Records one operation, in nanoseconds or bytes.
    func record(_ value: Int64) {
        if isTime { histogram.observe(nanoseconds: value) } else { histogram.observe(Double(value)) }
        if value > limit { series.violated(value, action: nil, limit: limit) }
    }
}

/// Checks operations that a histogram of other metrics already records.
struct BudgetCheck: Sendable {
    let series: BudgetSeries
    let limit: Int64

    @inline(__always)
    func check(_ value: Int64) {
        if value > limit { series.violated(value, action: nil, limit: limit) }
    }
}

/// Checks the actions of one component, each against the limit of its case.
struct ActionBudget: Sendable {
    let series: BudgetSeries
    /// The limits by the index of the action's case.
    let limits: [Int64]
    let names: [String]
    /// The limit for an invalid index.
    let otherLimit: Int64

    /// Checks an action with an invalid index.
    func checkOther(_ nanoseconds: Int64) {
        guard nanoseconds > otherLimit else { return }
        series.violated(nanoseconds, action: ActionRecorder.otherAction, limit: otherLimit)
    }

    /// Checks an action.
    ///
    /// - Parameter caseIndex: Must be valid.
    @inline(__always)
    func check(caseIndex: Int, _ nanoseconds: Int64) {
        let limit = limits[caseIndex]
        if nanoseconds > limit { series.violated(nanoseconds, action: names[caseIndex], limit: limit) }
    }
}
