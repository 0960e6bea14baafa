// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
public import AxiomInstrumentation
internal import AxiomMetrics
public import AxiomPush

/// Log records that wait for the next push, up to a number of bytes. When there are more, the oldest are dropped, and counted
/// in `axiom_push_dropped_samples_total` with the reason `queue_full`.
public final class OTLPLogQueue: Sendable {
    private struct State {
        var records = FIFO<ScopedElement>()
        var bytes = 0
        var overflow = 0
    }

    /// Knows the spans in which records are written.
    let telemetry: Telemetry?
    let clock: TimeSource
    private let limit: Int
    /// Guarded by its lock.
    private let state = Lock(State())

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - telemetry: Adds the ids of trace and span to records, and has the clock of their time. Nil for neither.
    ///   - bytes: The most bytes of encoded records, 1...2^30. Default: 4 MiB.
    /// - Throws: `PushError` if the number is out of range.
    public init(of telemetry: Telemetry? = nil, bytes: Int = 4 << 20) throws(PushError) {
        guard (1...(1 << 30)).contains(bytes) else {
            throw PushError(
                .invalidConfiguration,
                "A queue of log records has \(bytes) bytes; it has to be in 1...2^30."
            )
        }
        self.telemetry = telemetry
        clock = telemetry?.timeSource ?? .live
        limit = bytes
    }

    func append(_ record: ScopedElement) {
        state.withLock { state in
            _ = state.records.append(record)
            state.bytes += record.bytes.count
            while state.bytes > limit, let oldest = state.records.popFirst() {
                state.bytes -= oldest.element.bytes.count
                state.overflow += 1
            }
        }
    }

    /// Removes all records.
    func take() -> [ScopedElement] {
        state.withLock { state in
            state.bytes = 0
            return state.records.removeAll()
        }
    }

    /// How many records were dropped since the last call.
    func takeOverflow() -> Int {
        state.withLock { state in
            defer { state.overflow = 0 }
            return state.overflow
        }
    }
}

extension PushTarget {
    /// Log records for an OpenTelemetry collector, by OTLP over HTTP with protocol buffers.
    ///
    /// Each push takes what waits in the queue. While the collector is away, requests wait in a queue of their own, and the
    /// oldest are dropped first. Requests have half a mebibyte at most; after a 413 a request is sent in halves, and later ones
    /// are smaller.
    ///
    /// - Parameters:
    ///   - records: What handlers wrote. A queue has one target: two would each get a part of the records.
    ///   - endpoint: The URL of the collector, such as `http://127.0.0.1:4318`. `/v1/logs` is appended, unless the path ends
    ///     in it.
    ///   - service: The attribute `service.name` of the resource.
    ///   - attributes: Further attributes of the resource. `service.instance.id` is the same as for metrics by default.
    ///   - queueBytes: The most bytes of requests that wait, 1...2^30. Default: 4 MiB.
    ///   - name: The label `destination` of the metrics.
    /// - Throws: `PushError` if a value is invalid.
    public static func otlpLogs(
        _ records: OTLPLogQueue,
        _ endpoint: PushEndpoint,
        service: String,
        attributes: KeyValuePairs<String, String> = [:],
        queueBytes: Int = 4 << 20,
        name: String = "otlp_logs"
    ) throws(PushError) -> PushTarget {
        guard (1...(1 << 30)).contains(queueBytes) else {
            throw PushError(
                .invalidConfiguration,
                "\(endpoint): queueBytes is \(queueBytes); it has to be in 1...2^30"
            )
        }
        return PushTarget(
            LogDestination(
                name: name,
                capacity: .bytes(queueBytes),
                client: try OTLPClient(endpoint, path: "/v1/logs"),
                resource: try Resource(service: service, attributes: attributes),
                records: records
            )
        )
    }
}

/// Sends log records to a collector. The samples of a batch are its records.
struct LogDestination: PushDestination {
    var name = "otlp_logs"
    var capacity = QueueCapacity.bytes(4 << 20)
    let client: OTLPClient
    let resource: Resource
    let records: OTLPLogQueue

    var usesSnapshot: Bool { false }
    var hasSampleTimes: Bool { false }

    func takeOverflow() -> Int { records.takeOverflow() }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        resource.requests(records.take(), bytes: client.requestBytes)
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        try await client.send(batch)
    }
}
