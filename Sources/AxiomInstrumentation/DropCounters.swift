// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Counts what telemetry could not keep or pass on: nothing is lost without a trace.
struct DropCounters: Sendable {
    enum Reason: String, LabelValue, CaseIterable {
        /// A subscription was ended because nobody took its states: the states that were pending.
        case subscriberStalled = "subscriber_stalled"
        /// A critical error came while as many waited for the sink as may wait.
        case errorSinkFull = "error_sink_full"
        /// The sink threw when it was handed a critical error.
        case errorSinkFailed = "error_sink_failed"
        /// A violation of a budget was to be reported while as many waited for the handler as may wait.
        case budgetViolationsFull = "budget_violations_full"
    }

    private let family: Family<Counter, Reason>

    init(_ registry: Registry) throws(MetricsError) {
        family = try registry.counters(
            "axiom_telemetry_dropped_total",
            help: "What was dropped and why; subscriber_stalled counts states of a subscription that was ended.",
            labels: Label<Reason>("reason")
        )
    }

    subscript(reason: Reason) -> Counter { family(reason) }

    /// The counts of all reasons, in the order of their names.
    var counts: [(reason: String, count: UInt64)] {
        Reason.allCases.map { ($0.rawValue, self[$0].value) }.sorted { $0.0 < $1.0 }
    }
}
