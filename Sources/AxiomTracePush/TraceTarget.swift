// SPDX-License-Identifier: Apache-2.0

public import AxiomInstrumentation
internal import AxiomMetrics
public import AxiomPush

extension PushTarget {
    /// The kept traces of a telemetry for an OpenTelemetry collector, by OTLP over HTTP with protocol buffers: those that
    /// failed, were over budget, were among the slowest or were requested.
    ///
    /// Each kept trace is sent once, with the snapshot after its end. While the collector is away, traces wait in a queue, and
    /// the oldest are dropped first. Traces that the flight recorder displaces between two snapshots are not sent. Without the
    /// flight recorder, nothing is sent.
    ///
    /// - Parameters:
    ///   - telemetry: What recorded the traces.
    ///   - endpoint: The URL of the collector, such as `http://127.0.0.1:4318`. `/v1/traces` is appended, unless the
    ///     path ends in it.
    ///   - service: The attribute `service.name` of the resource.
    ///   - attributes: Further attributes of the resource. `service.instance.id` is the same as for metrics by default.
    ///   - queueBytes: The most bytes of requests that wait, 1...2^30. Default: 4 MiB.
    ///   - name: The label `destination` of the metrics.
    /// - Throws: `PushError` if a value is invalid.
    public static func otlpTraces(
        of telemetry: Telemetry,
        _ endpoint: PushEndpoint,
        service: String,
        attributes: KeyValuePairs<String, String> = [:],
        queueBytes: Int = 4 << 20,
        name: String = "otlp_traces"
    ) throws(PushError) -> PushTarget {
        guard (1...(1 << 30)).contains(queueBytes) else {
            throw PushError(
                .invalidConfiguration,
                "\(endpoint): queueBytes is \(queueBytes); it has to be in 1...2^30"
            )
        }
        let resource = try Resource(service: service, attributes: attributes)
        let client = try OTLPClient(endpoint, path: "/v1/traces")
        return otlpTraces(of: telemetry, client, resource, queueBytes: queueBytes, name: name)
    }

    /// The kept traces of a telemetry, of a resource, for a collector.
    package static func otlpTraces(
        of telemetry: Telemetry,
        _ client: OTLPClient,
        _ resource: Resource,
        queueBytes: Int = 4 << 20,
        name: String = "otlp_traces"
    ) -> PushTarget {
        PushTarget(
            TraceDestination(
                name: name,
                capacity: .bytes(queueBytes),
                client: client,
                messages: SpanMessages(resource: resource),
                traces: EndedTraces(telemetry)
            )
        )
    }
}

/// Sends traces to a collector. The samples of a batch are its spans.
struct TraceDestination: PushDestination {
    let name: String
    let capacity: QueueCapacity
    let client: OTLPClient
    let messages: SpanMessages
    let traces: EndedTraces

    var usesSnapshot: Bool { false }
    var hasSampleTimes: Bool { false }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        let (ended, offset) = traces.take()
        return messages.requests(ended, offset: offset)
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        try await client.send(batch)
    }
}
