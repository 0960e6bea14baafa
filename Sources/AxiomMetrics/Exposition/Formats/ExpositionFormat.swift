// SPDX-License-Identifier: Apache-2.0

/// A format of pages, as a reader asks for it and as the `Content-Type` header names it.
public struct ExpositionFormat: Hashable, Sendable {
    /// How a page is written. More may be added.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The kind as a label or a query shows it.
        public let description: String

        /// Prometheus' text format.
        public static let text = Kind(description: "text")
        /// OpenMetrics.
        public static let openMetrics = Kind(description: "openmetrics")
        /// Prometheus' protocol buffers.
        public static let protobuf = Kind(description: "protobuf")
    }

    /// How a page is written.
    public let kind: Kind
    /// How names are shown that are not classic ones.
    public let escaping: NameEscaping
    /// The version that the content type names; empty for protocol buffers.
    let version: String
    /// Whether the reader named an escaping, and is told which it got.
    let tellsEscaping: Bool

    /// Text 0.0.4: what a reader gets that asks for nothing.
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
        // The first versions know no names in quotes.
        let isOld = version == "0.0.4" || version == "0.0.1"
        self.escaping = isOld && escaping == .allowUTF8 ? .underscores : escaping ?? .underscores
        tellsEscaping = escaping != nil
    }

    /// What the `Content-Type` header of a page must say.
    public var contentType: String {
        let type =
            switch kind {
            case .openMetrics: "application/openmetrics-text; version=\(version); charset=utf-8"
            case .protobuf: ProtobufEncoder.contentType
            default: "text/plain; version=\(version); charset=utf-8"
            }
        return tellsEscaping ? "\(type); escaping=\(escaping)" : type
    }

    /// Appends a page of the format to `buffer`.
    ///
    /// - Parameters:
    ///   - snapshot: The metrics.
    ///   - buffer: Where to.
    ///   - createdSeries: Whether OpenMetrics shows when counters and histograms began, see ``OpenMetricsEncoder``. Protocol
    ///     buffers always do, and text has no way to.
    public func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer, createdSeries: Bool = false) {
        switch kind {
        case .openMetrics:
            OpenMetricsEncoder(escaping: escaping, createdSeries: createdSeries).encode(snapshot, into: &buffer)
        case .protobuf: ProtobufEncoder(escaping: escaping).encode(snapshot, into: &buffer)
        default: TextEncoder(escaping: escaping).encode(snapshot, into: &buffer)
        }
    }
}
