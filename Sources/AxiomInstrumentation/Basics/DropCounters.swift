// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Counts the states, errors and violations that telemetry dropped, so that every loss is visible.
struct DropCounters: Sendable {
    enum Reason: String, LabelValue, CaseIterable {
        /// States that were pending when a subscription ended because its subscriber did not take them.
        case subscriberStalled = "subscriber_stalled"
        /// A critical error that arrived while the queue of the error sink was full.
        case errorSinkFull = "error_sink_full"
        /// A critical error for which the sink threw an error.
        case errorSinkFailed = "error_sink_failed"
        /// A budget violation that arrived while the queue of the violation handler was full.
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
