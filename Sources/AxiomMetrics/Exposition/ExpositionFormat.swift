// SPDX-License-Identifier: Apache-2.0

/// A page format, with its `Content-Type` and its escaping.
///
/// ```swift
/// var buffer = ExpositionBuffer()
/// ExpositionFormat.openMetrics.encode(registry.collect(), into: &buffer)
/// ```
///
/// - Text 0.0.4, which all versions of Prometheus read, has no exemplars, units or exponential buckets. Text 1.0.0 has names
///   in quotes besides.
/// - OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/) adds units, exemplars, info metrics and an end
///   marker. A histogram's sum and count are omitted if the sum is negative or NaN, or if a bound is negative.
/// - OpenMetrics 2.0 (https://prometheus.io/docs/specs/om/open_metrics_spec_2_0/) is experimental. One line per histogram
///   has all that protocol buffers have of it: sum, classic and exponential buckets, exemplars and start time.
/// - Protocol buffers are the only stable format with native histograms.
///
/// Families are in the order of their names and series in the order of their labels.
public struct ExpositionFormat: Hashable, Sendable {
    /// The kinds of page formats. More may be added.
    package struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind in labels and queries.
        package let description: String

        /// Prometheus' text format.
        package static let text = Kind(description: "text")
        package static let openMetrics = Kind(description: "openmetrics")
        package static let openMetrics2 = Kind(description: "openmetrics2")
        /// Prometheus' protocol buffers.
        package static let protobuf = Kind(description: "protobuf")
    }

    package let kind: Kind
    /// How names that are not classic ones are shown.
    package let escaping: NameEscaping
    /// The version in the content type; empty for protocol buffers.
    let version: String
    /// Whether the content type states the escaping: if the request did.
    let tellsEscaping: Bool

    /// Text 0.0.4: the default.
    public static let text = ExpositionFormat(.text, "0.0.4")
    /// OpenMetrics 1.0.0.
    public static let openMetrics = ExpositionFormat(.openMetrics, "1.0.0")
    /// OpenMetrics 2.0.0. Experimental: it follows the release candidate 2.0.0-rc0 of the specification, whose content type
    /// has the version 2.0.0, and will change with it. Only a request that names this version selects it.
    public static let openMetrics2 = ExpositionFormat(.openMetrics2, "2.0.0")
    /// Delimited protocol buffers.
    public static let protobuf = ExpositionFormat(.protobuf)
    /// One of each kind.
    package static let all = [text, openMetrics, openMetrics2, protobuf]

    init(_ kind: Kind, _ version: String = "", _ escaping: NameEscaping? = nil) {
        self.kind = kind
        self.version = version
        // These versions do not support names in quotes.
        let isOld = version == "0.0.4" || version == "0.0.1"
        self.escaping = isOld && escaping == .allowUTF8 ? .underscores : escaping ?? .underscores
        tellsEscaping = escaping != nil
    }

    /// Whether pages show exemplars.
    package var hasExemplars: Bool { kind != .text }

    /// The `Content-Type` header of a page.
    public var contentType: String {
        let type =
            switch kind {
            case .openMetrics, .openMetrics2: "application/openmetrics-text; version=\(version); charset=utf-8"
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
    ///   - createdSeries: Whether OpenMetrics 1.0 shows the creation times of counters and histograms. It costs one sample
    ///     per series, and Prometheus treats it as a gauge by default. OpenMetrics 2.0 and protocol buffers always show
    ///     the times; the text format cannot.
    public func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer, createdSeries: Bool = false) {
        switch kind {
        case .protobuf: ProtobufEncoder(escaping: escaping).encode(snapshot, into: &buffer)
        case .openMetrics2: OpenMetrics2Encoder(escaping: escaping).encode(snapshot.families, into: &buffer)
        default:
            let isOpen = kind == .openMetrics
            LineEncoder(style: isOpen ? .openMetrics : .text, escaping: escaping, hasCreated: isOpen && createdSeries)
                .encode(snapshot.families, into: &buffer)
        }
    }

    /// The page as a string, for tests and small tools. Not for protocol buffers.
    package func page(_ snapshot: Snapshot, createdSeries: Bool = false) -> String {
        var buffer = ExpositionBuffer()
        encode(snapshot, into: &buffer, createdSeries: createdSeries)
        return buffer.text
    }
}

extension Snapshot {
    /// The page in Prometheus' text format, for tests and small tools. To serve pages use ``ExpositionFormat``.
    public var text: String { ExpositionFormat.text.page(self) }
}
