// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// What a pusher reports about one destination, in the registry that it pushes.
struct PushMetrics: Sendable {
    private static let success = "success"

    private let requests: Family<Counter, String, String>
    private let dropped: Family<Counter, String, String>
    private let sent: Counter
    private let queueBytes: Gauge
    private let queueSamples: Gauge
    private let lastSuccess: Gauge
    private let destination: String

    /// Registers the families, or finds them, and shows all series of the destination with 0.
    init(_ registry: Registry, destination: String) throws(MetricsError) {
        let name = Label<String>("destination")
        self.destination = destination
        requests = try registry.counters(
            "axiom_push_requests_total",
            help: "Requests to receivers of pushes, retries included, by outcome.",
            labels: name,
            Label<String>("outcome")
        )
        dropped = try registry.counters(
            "axiom_push_dropped_samples_total",
            help: "Samples, spans of traces or log records that did not reach the receiver, by reason.",
            labels: name,
            Label<String>("reason")
        )
        sent = try registry.counters(
            "axiom_push_sent_samples_total",
            help: "Samples, spans of traces or log records that the receiver took.",
            labels: name
        )(destination)
        queueBytes = try registry.gauges(
            "axiom_push_queue_bytes",
            help: "The encoded bytes that wait for the receiver.",
            labels: name,
            options: .unit("bytes")
        )(destination)
        queueSamples = try registry.gauges(
            "axiom_push_queue_samples",
            help: "The samples, spans of traces or log records that wait for the receiver.",
            labels: name
        )(destination)
        lastSuccess = try registry.gauges(
            "axiom_push_last_success_timestamp_seconds",
            help: "When the receiver last took a push, in seconds since 1970; 0 before.",
            labels: name,
            options: .unit("seconds")
        )(destination)
        for outcome in [Self.success] + PushError.Code.failures.map(\.description) {
            _ = requests(destination, outcome)
        }
        for reason in DropReason.allCases { _ = dropped(destination, reason.rawValue) }
    }

    func succeeded(at time: Double) {
        requests(destination, Self.success).increment()
        lastSuccess.set(time)
    }

    func failed(_ code: PushError.Code) {
        requests(destination, code.description).increment()
    }

    /// Shows what a change of the queue changed.
    func update(_ queue: PushQueue, since old: PushQueue.Totals) {
        sent.increment(by: UInt64(queue.totals.sent - old.sent))
        for reason in DropReason.allCases {
            let count = (queue.totals.dropped[reason] ?? 0) - (old.dropped[reason] ?? 0)
            if count > 0 { dropped(destination, reason.rawValue).increment(by: UInt64(count)) }
        }
        queueBytes.set(Double(queue.bytes))
        queueSamples.set(Double(queue.samples))
    }
}
