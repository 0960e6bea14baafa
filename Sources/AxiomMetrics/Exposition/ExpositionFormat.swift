// SPDX-License-Identifier: Apache-2.0

/// A page format, with its `Content-Type` and its escaping.
public struct ExpositionFormat: Hashable, Sendable {
    /// The kinds of page formats. More may be added.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind in labels and queries.
        public let description: String

        /// Prometheus' text format.
        public static let text = Kind(description: "text")
        /// OpenMetrics.
        public static let openMetrics = Kind(description: "openmetrics")
        /// Prometheus' protocol buffers.
        public static let protobuf = Kind(description: "protobuf")
    }

    /// The kind of format.
    public let kind: Kind
    /// How names that are not classic ones are shown.
    public let escaping: NameEscaping
    /// The version in the content type; empty for protocol buffers.
    let version: String
    /// Whether the content type states the escaping: if the request did.
    let tellsEscaping: Bool

    /// Text 0.0.4: the default.
    public static let text = ExpositionFormat(.text, "0.0.4")
    /// OpenMetrics 1.0.0.
    public static let openMetrics = ExpositionFormat(.openMetrics, "1.0.0")
    /// Delimited protocol buffers.
    public static let protobuf = ExpositionFormat(.protobuf)
    /// One of each kind.
    public static let all = [text, openMetrics, protobuf]

    init(_ kind: Kind, _ version: String = "", _ escaping: NameEscaping? = nil) {
        self.kind = kind
        self.version = version
        // These versions do not support names in quotes.
        let isOld = version == "0.0.4" || version == "0.0.1"
        self.escaping = isOld && escaping == .allowUTF8 ? .underscores : escaping ?? .underscores
        tellsEscaping = escaping != nil
    }

    /// The `Content-Type` header of a page.
    public var contentType: String {
        let type =
            switch kind {
            case .openMetrics: "application/openmetrics-text; version=\(version); charset=utf-8"
            case .protobuf: ProtobufEncoder.contentType
            default: "text/plain; version=\(version); charset=utf-8"
            }
        return tellsEscaping ? "\(type); escaping=\(escaping)" : type
    }

    /// Appends a page in this format to `buffer`.
    ///
    /// - Parameters:
    ///   - snapshot: The metrics.
    ///   - buffer: The destination.
    ///   - createdSeries: Whether OpenMetrics shows the creation times of counters and histograms, see
    ///     ``OpenMetricsEncoder``. Protocol buffers always do; the text format cannot.
    public func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer, createdSeries: Bool = false) {
        switch kind {
        case .openMetrics:
            OpenMetricsEncoder(escaping: escaping, createdSeries: createdSeries).encode(snapshot, into: &buffer)
        case .protobuf: ProtobufEncoder(escaping: escaping).encode(snapshot, into: &buffer)
        default: TextEncoder(escaping: escaping).encode(snapshot, into: &buffer)
        }
    }
}
