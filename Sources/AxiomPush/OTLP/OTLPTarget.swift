// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import AxiomMetrics
internal import CZlib

extension PushTarget {
    /// Metrics for an OpenTelemetry collector, by OTLP over HTTP with protocol buffers.
    ///
    /// While the collector is away, the latest snapshot is kept: all values are cumulative, so it contains the earlier ones.
    /// A snapshot is divided into requests of half a mebibyte, which are compressed with gzip. After a 413 a request is sent in
    /// halves, and later ones are smaller.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the collector, such as `http://127.0.0.1:4318` or `https://prometheus/api/v1/otlp`.
    ///     `/v1/metrics` is appended, as OTLP requires for a base URL, unless the path ends in it.
    ///   - service: The attribute `service.name` of the resource.
    ///   - attributes: Further attributes of the resource. Without `service.instance.id`, which Prometheus makes the label
    ///     `instance`, it is the names of the host and of the process.
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
final class OTLPMetricsDestination: PushDestination {
    /// Receivers and the proxies before them often take a mebibyte, and the limit may be that of the uncompressed body.
    static let mostBytes = 512 << 10
    /// A receiver that refuses requests as too large makes later ones smaller, but not smaller than this.
    static let leastBytes = 16 << 10

    let name: String
    let client: OTLPClient
    let messages: MetricMessages
    /// The most bytes of a request, before compression. Guarded by its lock.
    private let requestBytes = Lock(OTLPMetricsDestination.mostBytes)

    init(name: String, client: OTLPClient, messages: MetricMessages) {
        (self.name, self.client, self.messages) = (name, client, messages)
    }

    var capacity: QueueCapacity { .latest }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        let limit = requestBytes.withLock { $0 }
        return messages.requests(snapshot, at: DataPoints.nanoseconds(time) ?? 0, bytes: limit)
    }

    /// Sends a request. After one that the receiver refused as too large, later requests have half the size.
    func send(_ batch: PushBatch) async throws -> PushReceipt {
        try await client.send(batch) { [self] bytes in
            requestBytes.withLock { $0 = max(Self.leastBytes, min($0, bytes / 2)) }
        }
    }
}

/// Sends requests of OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
package struct OTLPClient: Sendable {
    private let endpoint: PushEndpoint
    let url: EndpointURL

    /// - Parameters:
    ///   - endpoint: The URL of the collector.
    ///   - path: What is appended to the URL, unless it ends in it.
    /// - Throws: ``PushError`` if a value is invalid.
    package init(_ endpoint: PushEndpoint, path: String) throws(PushError) {
        let base = try endpoint.validated()
        self.endpoint = endpoint
        url = base.path.hasSuffix(path) ? base : base.appending(path)
    }

    /// Sends a request once. If the receiver finds it too large (413), its halves are to be sent: each of them is a batch of
    /// its own, so that a failure of one does not send the other one again.
    ///
    /// - Parameter tooLarge: Receives the bytes of a request that was too large, before compression.
    /// - Returns: What the collector refused although it accepted the request, or the halves.
    /// - Throws: ``PushError``; `CancellationError`.
    package func send(
        _ batch: PushBatch,
        tooLarge: @Sendable (Int) -> Void = { _ in }
    ) async throws -> PushReceipt {
        do {
            return try await send(batch.bytes)
        } catch let error as PushError where error.status == 413 {
            tooLarge(batch.bytes.count)
            guard let halves = batch.halves else { throw error }
            return PushReceipt(parts: [halves.0, halves.1])
        }
    }

    private func send(_ body: [UInt8]) async throws -> PushReceipt {
        let compressed = RequestCompression.gzip(body)
        var headers = [(name: "Content-Type", value: "application/x-protobuf")]
        if compressed != nil { headers.append((name: "Content-Encoding", value: "gzip")) }
        let request = TransferRequest(.post, url, endpoint, headers: headers, body: compressed ?? body)
        let response = try await TransferEngine.shared.response(to: request)
        // "Retryable Response Codes" of the specification: no other status may be retried.
        guard response.isSuccess else { throw response.error(url) { [429, 502, 503, 504].contains($0) } }
        guard let parsed = ExportResponse(response.body), parsed.refused > 0 else { return PushReceipt() }
        return PushReceipt(refused: Int(clamping: parsed.refused), reason: parsed.message)
    }
}

/// The content coding gzip, which every receiver of OTLP over HTTP accepts.
enum RequestCompression {
    /// The compressed bytes; nil if they have more than 4 GB, or if zlib could not allocate memory.
    static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        let room = axiom_deflate_bound(bytes.count)
        let compressed = [UInt8](unsafeUninitializedCapacity: room) { output, written in
            // 15 bits of window, and 16 for the gzip header. Metrics shrink to a tenth at the fastest level.
            written = axiom_deflate(bytes, bytes.count, output.baseAddress, room, Z_BEST_SPEED, 31, 8, Z_FINISH)
        }
        return compressed.isEmpty ? nil : compressed
    }
}

/// The response of an OTLP receiver that accepted a request: it may have refused a part of it.
///
/// `ExportMetricsServiceResponse` and `ExportTraceServiceResponse` have the same shape: field 1 is the partial success, with
/// the number of the refused data points or spans as field 1, and a text as field 2.
struct ExportResponse: Hashable, Sendable {
    private(set) var refused: Int64 = 0
    private(set) var message = ""

    /// Reads a response. Nil if it is no such message.
    init?(_ bytes: [UInt8]) {
        guard let fields = WireReader.fields(bytes[...]) else { return nil }
        for case (1, .bytes(let partial)) in fields {
            guard let fields = WireReader.fields(partial) else { return nil }
            for field in fields {
                switch field {
                case (1, .varint(let count)): refused = max(0, Int64(bitPattern: count))
                case (2, .bytes(let text)): message = TransferResponse.excerpt(of: Array(text))
                default: break
                }
            }
        }
    }
}
