// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The version of a Prometheus server, by which a test decides what the server does.
public struct PrometheusVersion: Comparable, Sendable, CustomStringConvertible {
    /// The number before the first point.
    public let major: Int
    /// The number after the first point.
    public let minor: Int

    /// A version.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Whether the left one is older.
    public static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }

    /// The two numbers with a point.
    public var description: String { "\(major).\(minor)" }

    /// The program printed no version.
    public struct Unknown: Error, CustomStringConvertible {
        /// What it printed.
        public let description: String
    }

    /// The version of the server that tests start: of the first `prometheus` in `PATH`.
    ///
    /// - Throws: ``ExternalTool/Missing``, or ``Unknown``.
    public static func installed() async throws -> PrometheusVersion {
        let printed = try await ExternalTool.prometheus.run(["--version"])
        let text = printed.output + printed.errors
        guard let match = text.firstMatch(of: /version (\d+)\.(\d+)/), let major = Int(match.1),
            let minor = Int(match.2)
        else { throw Unknown(description: "prometheus --version printed: \(text)") }
        return PrometheusVersion(major, minor)
    }
}

extension PrometheusVersion {
    /// A receiver for OTLP, if the build has it.
    public static let otlp = PrometheusVersion(2, 47)
    /// Priorities of formats (`scrape_protocols`).
    public static let scrapeProtocols = PrometheusVersion(2, 49)
    /// Start timestamps of protocol buffers become samples of the value 0 (`created-timestamp-zero-ingestion`).
    public static let startTimestamps = PrometheusVersion(2, 50)
    /// The same of OpenMetrics.
    public static let startTimestampsOfText = PrometheusVersion(2, 55)
    /// Names in UTF-8; both kinds of histograms at once (`always_scrape_classic_histograms`).
    public static let names = PrometheusVersion(3, 0)
    /// Of a family of native histograms, only the exemplars of the first series are stored: the parser does not begin anew
    /// with the next series (prometheus/prometheus#15731, not fixed in 3.14).
    public static let lostExemplars = PrometheusVersion(3, 3)
    /// The scheme by which names are escaped (`metric_name_escaping_scheme`).
    public static let escapingScheme = PrometheusVersion(3, 4)
    /// Native histograms by the configuration (`scrape_native_histograms`).
    public static let nativeByConfiguration = PrometheusVersion(3, 8)
}
