// SPDX-License-Identifier: Apache-2.0

internal import Foundation

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
