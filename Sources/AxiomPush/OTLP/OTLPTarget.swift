// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import AxiomMetrics
internal import CZlib

extension PushTarget {
    /// Metrics for an OpenTelemetry collector, by OTLP over HTTP with protocol buffers.
    ///
    /// While the collector is away, one snapshot waits. Cumulative values: the latest, which contains the earlier ones. Deltas:
    /// the earliest, and the next one has all increments since. Increments are lost only with requests that the collector
    /// refuses, which OTLP forbids to send again, or that the end of the process leaves; both are counted.
    /// A snapshot is divided into requests of half a mebibyte, which are compressed with gzip. After a 413 a request is sent in
    /// halves, and later ones are smaller.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the collector, such as `http://127.0.0.1:4318` or `https://prometheus/api/v1/otlp`.
    ///     `/v1/metrics` is appended, as OTLP requires for a base URL, unless the path ends in it.
    ///   - service: The attribute `service.name` of the resource.
    ///   - attributes: Further attributes of the resource. Without `service.instance.id`, which Prometheus makes the label
    ///     `instance`, it is the names of the host and of the process.
    ///   - temporality: Since when counters and histograms count.
    ///   - name: The label `destination` of the metrics.
    ///   - clock: The clock of the start time of collected series, whose creation time is not known.
    /// - Throws: ``PushError`` if a value is invalid.
    public static func otlpMetrics(
        _ endpoint: PushEndpoint,
        service: String,
        attributes: KeyValuePairs<String, String> = [:],
        temporality: Temporality = .cumulative,
        name: String = "otlp_metrics",
        clock: TimeSource = .live
    ) throws(PushError) -> PushTarget {
        let resource = try Resource(service: service, attributes: attributes)
        let client = try OTLPClient(endpoint, path: "/v1/metrics")
        return otlpMetrics(client, resource, temporality, name: name, clock: clock)
    }

    /// Metrics of a resource for a collector.
    package static func otlpMetrics(
        _ client: OTLPClient,
        _ resource: Resource,
        _ temporality: Temporality,
        name: String = "otlp_metrics",
        clock: TimeSource = .live
    ) -> PushTarget {
        let start = DataPoints.nanoseconds(clock.secondsSinceEpoch) ?? 0
        let messages = MetricMessages(resource: resource, start: start, temporality: temporality)
        return PushTarget(OTLPMetricsDestination(name: name, client: client, messages: messages))
    }
}

/// Sends metrics to a collector. The samples of a batch are its data points.
final class OTLPMetricsDestination: PushDestination {
    let name: String
    let client: OTLPClient
    let messages: MetricMessages
    /// Guarded by its lock. Only the task that takes snapshots changes it.
    private let base = Lock(DeltaBase())

    init(name: String, client: OTLPClient, messages: MetricMessages) {
        (self.name, self.client, self.messages) = (name, client, messages)
    }

    var capacity: QueueCapacity { messages.temporality.capacity }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        let time = DataPoints.nanoseconds(time) ?? 0
        let batches = messages.requests(snapshot, at: time, bytes: client.requestBytes, since: base.withLock { $0 })
        if messages.temporality != .cumulative {
            base.withLock { $0.advance(to: snapshot, at: time, messages.temporality) }
        }
        return batches
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        try await client.send(batch)
    }
}

/// Sends requests of OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
package struct OTLPClient: Sendable {
    let endpoint: PushEndpoint
    let url: EndpointURL
    let isCompressed: Bool
    private let size = RequestSize()

    /// - Parameters:
    ///   - endpoint: The URL of the collector.
    ///   - path: What is appended to the URL, unless it ends in it.
    /// - Throws: ``PushError`` if a value is invalid.
    package init(_ endpoint: PushEndpoint, path: String) throws(PushError) {
        let base = try endpoint.validated()
        self.endpoint = endpoint
        url = base.path.hasSuffix(path) ? base : base.appending(path)
        isCompressed = true
    }

    /// - Parameter endpoint: The whole URL, which is used as it is.
    /// - Throws: ``PushError`` if a value is invalid.
    package init(exactly endpoint: PushEndpoint, isCompressed: Bool) throws(PushError) {
        self.endpoint = endpoint
        url = try endpoint.validated(keepsSlash: true)
        self.isCompressed = isCompressed
    }

    /// The most bytes that the elements of a request should have. After one that the receiver refused as too large, later
    /// requests have half the size.
    package var requestBytes: Int { size.bytes.withLock { $0 } }

    /// Sends a request once. If the receiver finds it too large (413), its halves are to be sent: each of them is a batch of
    /// its own, so that a failure of one does not send the other one again.
    ///
    /// - Returns: What the collector refused although it accepted the request, or the halves.
    /// - Throws: ``PushError``; `CancellationError`.
    package func send(_ batch: PushBatch) async throws -> PushReceipt {
        do {
            return try await send(batch.bytes)
        } catch let error as PushError where error.status == 413 {
            size.reduce(after: batch.bytes.count)
            guard let halves = batch.halves else { throw error }
            return PushReceipt(parts: [halves.0, halves.1])
        }
    }

    private func send(_ body: [UInt8]) async throws -> PushReceipt {
        let compressed = isCompressed ? RequestCompression.gzip(body) : nil
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

/// The size of requests to one receiver.
private final class RequestSize: Sendable {
    /// Receivers and the proxies before them often take a mebibyte, and the limit may be that of the uncompressed body.
    static let most = 512 << 10
    /// A receiver that refuses requests as too large makes later ones smaller, but not smaller than this.
    static let least = 16 << 10

    /// The most bytes, before compression. Guarded by its lock.
    let bytes = Lock(RequestSize.most)

    func reduce(after refused: Int) {
        bytes.withLock { $0 = max(Self.least, min($0, refused / 2)) }
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
/// The responses of all signals have one shape: field 1 is the partial success, with the number of the refused data points,
/// spans or log records as field 1, and a text as field 2.
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
