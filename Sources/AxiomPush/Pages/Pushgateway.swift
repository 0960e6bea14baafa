// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics
internal import Foundation

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

/// The labels that identify a group of the Pushgateway, as a path: `/metrics/job/backup/instance/a`.
///
/// A value that is empty, contains a slash, or is a dot segment, which clients and servers remove from paths (RFC 3986 section
/// 5.2.4), is written in base64, as `/path@base64/L3RtcA` (README of the Pushgateway, "URL").
struct GroupingKey: Hashable, Sendable {
    let path: String
    /// The names of the labels, with `job`.
    let names: [String]

    /// - Throws: ``PushError`` if the job is empty, or a label has an invalid name or is given twice.
    init(job: String, labels: KeyValuePairs<String, String>) throws(PushError) {
        guard !job.isEmpty else { throw Self.invalid("the job is empty; name it") }
        let pairs = [(key: "job", value: job)] + labels
        names = pairs.map(\.key)
        if let problem = LabelName.problem(names) { throw Self.invalid(problem) }
        path = "/metrics" + pairs.map(Self.component).joined()
    }

    private static func component(_ name: String, _ value: String) -> String {
        guard value.isEmpty || value.contains("/") || value == "." || value == ".." else {
            return "/\(name)/\(EndpointURL.encoded(value))"
        }
        let encoded = Data(value.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        // A component of a path must not be empty.
        return "/\(name)@base64/\(encoded.isEmpty ? "=" : encoded)"
    }

    private static func invalid(_ reason: String) -> PushError {
        PushError(.invalidConfiguration, "The group of a Pushgateway cannot be used: \(reason).")
    }
}
