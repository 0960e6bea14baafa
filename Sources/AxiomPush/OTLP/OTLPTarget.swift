// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import AxiomMetrics

extension PushTarget {
    /// Metrics for an OpenTelemetry collector, by OTLP over HTTP with protocol buffers.
    ///
    /// While the collector is away, the latest snapshot is kept: all values are cumulative, so it contains the earlier ones.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the collector, such as `http://127.0.0.1:4318`. `/v1/metrics` is appended, unless the URL has
    ///     a path.
    ///   - service: The attribute `service.name` of the resource.
    ///   - attributes: Further attributes of the resource, such as `service.instance.id`.
    ///   - name: The label `destination` of the metrics.
    ///   - clock: The clock of the start time of collected series, whose creation time is not known.
    /// - Throws: ``PushError`` if a value is invalid.
    public static func otlpMetrics(
        _ endpoint: PushEndpoint,
        service: String,
        attributes: KeyValuePairs<String, String> = [:],
        name: String = "otlp_metrics",
        clock: TimeSource = .live
    ) throws(PushError) -> PushTarget {
        let resource = try Resource(service: service, attributes: attributes)
        let start = DataPoints.nanoseconds(clock.secondsSinceEpoch) ?? 0
        return PushTarget(
            OTLPMetricsDestination(
                name: name,
                client: try OTLPClient(endpoint, path: "/v1/metrics"),
                messages: MetricMessages(resource: resource, start: start)
            )
        )
    }
}

/// Sends metrics to a collector. The samples of a batch are its data points.
struct OTLPMetricsDestination: PushDestination {
    let name: String
    let client: OTLPClient
    let messages: MetricMessages

    var capacity: QueueCapacity { .latest }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        let bytes = messages.request(snapshot, at: DataPoints.nanoseconds(time) ?? 0)
        return [PushBatch(samples: snapshot.seriesCount, bytes: bytes)]
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        try await client.send(batch.bytes)
    }
}

/// Sends requests of OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
package struct OTLPClient: Sendable {
    private let endpoint: PushEndpoint
    private let url: EndpointURL

    /// - Parameters:
    ///   - endpoint: The URL of the collector.
    ///   - path: What is appended if the URL has no path.
    /// - Throws: ``PushError`` if a value is invalid.
    package init(_ endpoint: PushEndpoint, path: String) throws(PushError) {
        let base = try endpoint.validated()
        self.endpoint = endpoint
        url = base.path.isEmpty ? base.appending(path) : base
    }

    /// Sends a request once.
    ///
    /// - Returns: What the collector refused although it accepted the request.
    /// - Throws: ``PushError``; `CancellationError`.
    package func send(_ body: [UInt8]) async throws -> PushReceipt {
        let headers = [(name: "Content-Type", value: "application/x-protobuf")]
        let request = TransferRequest(.post, url, endpoint, headers: headers, body: body)
        let response = try await TransferEngine.shared.response(to: request)
        // "Retryable Response Codes" of the specification: no other status may be retried.
        guard response.isSuccess else { throw response.error(url) { [429, 502, 503, 504].contains($0) } }
        guard let parsed = ExportResponse(response.body), parsed.refused > 0 else { return PushReceipt() }
        return PushReceipt(refused: Int(clamping: parsed.refused), reason: parsed.message)
    }
}
