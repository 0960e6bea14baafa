// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics

/// A group of metrics in a Pushgateway (https://github.com/prometheus/pushgateway), for jobs that end before a scrape.
///
/// ```swift
/// let gateway = try Pushgateway("http://127.0.0.1:9091", job: "backup", grouping: ["instance": "db1"])
/// try await gateway.replace(with: registry.collect())
/// ```
/// A Pushgateway keeps a group until it is deleted. A service that runs for long should be scraped instead.
public struct Pushgateway: Sendable {
    /// The format of the body. More may be added.
    public struct Format: Hashable, Sendable {
        let exposition: ExpositionFormat

        /// Text 0.0.4: the default.
        public static let text = Format(exposition: .text)
        /// Protocol buffers, with the buckets of exponential histograms. The Pushgateway shows them since version 1.6.
        public static let protobuf = Format(exposition: .protobuf)
    }

    private let endpoint: PushEndpoint
    private let url: EndpointURL
    private let format: Format
    /// The names of the labels of the group.
    private let groupLabels: [String]
    /// The URL of the group, without credentials.
    var group: String { "\(url)" }

    /// Names a group.
    ///
    /// - Parameters:
    ///   - endpoint: The URL of the gateway, without `/metrics`.
    ///   - job: The label `job` of the group.
    ///   - grouping: Further labels of the group. The gateway sets all of them on each metric, so no metric may have one of
    ///     them, nor `job`, itself. Values may be empty and contain any character.
    ///   - format: The format of the body.
    /// - Throws: ``PushError`` if a value is invalid.
    public init(
        _ endpoint: PushEndpoint,
        job: String,
        grouping: KeyValuePairs<String, String> = [:],
        format: Format = .text
    ) throws(PushError) {
        let base = try endpoint.validated()
        self.endpoint = endpoint
        self.format = format
        let key = try GroupingKey(job: job, labels: grouping)
        groupLabels = key.names
        url = base.appending(key.path)
    }

    /// Replaces all metrics of the group (`PUT`). One request, without retries.
    ///
    /// - Throws: ``PushError`` if a metric has a label of the group, or the gateway did not accept it; `CancellationError`.
    public func replace(with snapshot: Snapshot) async throws {
        try check(snapshot)
        try await send(.put, encode(snapshot))
    }

    /// Replaces the metrics of the group that have the same names as those of the snapshot, and keeps the others (`POST`).
    /// One request, without retries.
    ///
    /// - Throws: ``PushError`` if a metric has a label of the group, or the gateway did not accept it; `CancellationError`.
    public func add(_ snapshot: Snapshot) async throws {
        try check(snapshot)
        try await send(.post, encode(snapshot))
    }

    /// Deletes the group (`DELETE`). Succeeds also if the gateway has no such group.
    ///
    /// - Throws: ``PushError`` if the gateway did not accept it; `CancellationError`.
    public func delete() async throws {
        try await send(.delete, [])
    }

    /// Checks that the gateway will not replace the value of a label, which would merge series or lose what they say.
    ///
    /// - Throws: ``PushError`` with the metric and the label.
    func check(_ snapshot: Snapshot) throws(PushError) {
        guard let (metric, label) = snapshot.firstMetric(with: groupLabels) else { return }
        throw PushError(
            .invalidConfiguration,
            "The metric \(metric) has the label \(label), and so does its group in the Pushgateway at \(url), which would "
                + "replace its values: rename one of both"
        )
    }

    func encode(_ snapshot: Snapshot) -> [UInt8] {
        var buffer = ExpositionBuffer()
        format.exposition.encode(snapshot, into: &buffer)
        return buffer.bytes
    }

    func send(_ method: TransferRequest.Method, _ body: [UInt8]) async throws {
        let type = [(name: "Content-Type", value: format.exposition.contentType)]
        let request = TransferRequest(method, url, endpoint, headers: method == .delete ? [] : type, body: body)
        let response = try await TransferEngine.shared.response(to: request)
        guard response.isSuccess else { throw response.error(url) }
    }
}
