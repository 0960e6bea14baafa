// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import CSnappy

extension PushTarget {
    /// How remote write sends exponential histograms. More may be added.
    public struct HistogramForm: Hashable, Sendable {
        private let name: String

        /// Their classic buckets, `_sum` and `_count`; without classic buckets only the bucket `+Inf`. Every receiver takes
        /// them.
        public static let classic = HistogramForm(name: "classic")
        /// As native histograms. Prometheus 2.40 and later takes them with `--enable-feature=native-histograms`, and
        /// otherwise answers 500.
        public static let native = HistogramForm(name: "native")
        /// Both.
        public static let both = HistogramForm(name: "both")
    }

    /// A receiver of Prometheus remote write 1.0, such as a Prometheus with `--web.enable-remote-write-receiver`.
    ///
    /// A series that disappears gets a stale marker, and so does every series at the end.
    ///
    /// - Parameters:
    ///   - endpoint: The full URL, which often ends in `/api/v1/write`.
    ///   - externalLabels: Labels to add to every series that does not have them. Give `job` and `instance`: a server
    ///     adds them when it scrapes, and this process is not scraped.
    ///   - histograms: How exponential histograms are sent. Others are always sent with classic buckets.
    ///   - queueBytes: The most bytes of compressed requests that wait while the receiver is away, 1...2^30. Default: 16 MiB.
    ///     The oldest are dropped first.
    ///   - samplesPerRequest: The most samples of one request, 1...100,000. Default: 2,000, as in Prometheus.
    ///   - name: The label `destination` of the metrics.
    /// - Throws: ``PushError`` if a value is invalid.
    public static func remoteWrite(
        _ endpoint: PushEndpoint,
        externalLabels: KeyValuePairs<String, String> = [:],
        histograms: HistogramForm = .classic,
        queueBytes: Int = 16 << 20,
        samplesPerRequest: Int = 2_000,
        name: String = "remote_write"
    ) throws(PushError) -> PushTarget {
        let url = try endpoint.validated()
        func require(_ isValid: Bool, _ problem: @autoclosure () -> String) throws(PushError) {
            if !isValid { throw PushError(.invalidConfiguration, "\(url): \(problem())") }
        }
        let problem = LabelName.problem(externalLabels.map(\.key))
        try require(problem == nil, problem ?? "")
        try require((1...(1 << 30)).contains(queueBytes), "queueBytes is \(queueBytes); it has to be in 1...2^30")
        try require(
            (1...100_000).contains(samplesPerRequest),
            "samplesPerRequest is \(samplesPerRequest); it has to be in 1...100,000"
        )
        let encoder = WriteRequestEncoder(
            external: externalLabels.map { (name: $0.key, value: $0.value) },
            form: histograms,
            samplesPerRequest: samplesPerRequest
        )
        return PushTarget(
            RemoteWriteDestination(name: name, endpoint: endpoint, url: url, queueBytes: queueBytes, encoder)
        )
    }
}

/// Sends requests of remote write 1.0 (https://prometheus.io/docs/specs/prw/remote_write_spec/).
final class RemoteWriteDestination: PushDestination {
    let name: String
    let capacity: QueueCapacity
    private let endpoint: PushEndpoint
    private let url: EndpointURL
    private let sendsNative: Bool
    /// Guarded by its lock. Only the task that takes snapshots encodes.
    private let encoder: Lock<WriteRequestEncoder>

    init(name: String, endpoint: PushEndpoint, url: EndpointURL, queueBytes: Int, _ encoder: WriteRequestEncoder) {
        self.name = name
        self.endpoint = endpoint
        self.url = url
        capacity = .bytes(queueBytes)
        sendsNative = encoder.form != .classic
        self.encoder = Lock(encoder)
    }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        encoder.withLock { $0.encode(snapshot, milliseconds: Self.milliseconds(time)) }
    }

    func lastBatches(at time: Double) -> [PushBatch] {
        encoder.withLock { $0.end(milliseconds: Self.milliseconds(time)) }
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        let headers = [
            (name: "Content-Type", value: "application/x-protobuf"), (name: "Content-Encoding", value: "snappy"),
            (name: "X-Prometheus-Remote-Write-Version", value: "0.1.0"),
        ]
        let request = TransferRequest(.post, url, endpoint, headers: headers, body: batch.bytes)
        let response = try await TransferEngine.shared.response(to: request)
        guard response.isSuccess else { throw response.error(url, remedy: remedy(response.status)) }
        return PushReceipt()
    }

    /// What to do about a status that has causes of its own in remote write; nil for others.
    private func remedy(_ status: Int) -> String? {
        switch status {
        case 400: "if samples are out of order or too old, check the clock, or set out_of_order_time_window"
        case 500 where sendsNative:
            "if its log says that native histograms are disabled, start it with --enable-feature=native-histograms, or send .classic"
        default: nil
        }
    }

    private static func milliseconds(_ time: Double) -> Int64 {
        Int64((time * 1_000).rounded())
    }
}

/// Snappy's block format, without the framing of streams: what remote write requires.
enum SnappyBlock {
    /// The compressed bytes. Compression cannot fail, because the target has the size that Snappy asks for.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        let room = snappy_max_compressed_length(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: room) { target, count in
            bytes.withUnsafeBytes { source in
                target.withMemoryRebound(to: CChar.self) { target in
                    var length = room
                    let status = snappy_compress(
                        source.assumingMemoryBound(to: CChar.self).baseAddress,
                        source.count,
                        target.baseAddress,
                        &length
                    )
                    count = status == SNAPPY_OK ? length : 0
                }
            }
        }
    }
}
