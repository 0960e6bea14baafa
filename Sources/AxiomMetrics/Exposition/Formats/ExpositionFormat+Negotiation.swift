// SPDX-License-Identifier: Apache-2.0

extension ExpositionFormat {
    /// The format that a reader wants most, by its `Accept` header, of those that there are.
    ///
    /// Higher `q` values win, then the earlier entry; `q=0` refuses. `*/*` and `text/*` mean text 0.0.4 unless that was
    /// refused. A reader that asks for nothing known gets text 0.0.4, and so does one that refuses everything: a page is
    /// more use to it than an error. An `escaping` that is not known, or none, means underscores.
    ///
    /// - Parameter accept: The header's value; nil when the request has none.
    public static func negotiate(accept: String?) -> ExpositionFormat {
        let items = WeightedItem.list(accept ?? "")
        let refused = items.filter { $0.weight == 0 }.compactMap(named)
        for item in items where item.weight > 0 {
            let candidates = named(item).map { [$0] } ?? meant(by: item.value)
            if let format = candidates.first(where: { format in !refused.contains { $0.isSameFormat(as: format) } }) {
                return format
            }
        }
        return .text
    }

    /// The format that an entry names; nil when it names none that there is.
    private static func named(_ item: WeightedItem) -> ExpositionFormat? {
        let escaping = item.parameters["escaping"].flatMap(NameEscaping.init(headerValue:))
        let version = item.parameters["version"]
        switch item.value {
        case "application/vnd.google.protobuf":
            guard item.parameters["proto"] == "io.prometheus.client.MetricFamily",
                item.parameters["encoding"] == "delimited"
            else { return nil }
            return ExpositionFormat(.protobuf, "", escaping)
        case "application/openmetrics-text":
            // Without a version a reader may get the oldest of the standard.
            guard ["1.0.0", "0.0.1", nil].contains(version) else { return nil }
            return ExpositionFormat(.openMetrics, version ?? "1.0.0", escaping)
        case "text/plain":
            guard ["1.0.0", "0.0.4", nil].contains(version) else { return nil }
            return ExpositionFormat(.text, version ?? "0.0.4", escaping)
        default: return nil
        }
    }

    /// The formats that a range of media types allows, the most widely understood first.
    private static func meant(by range: String) -> [ExpositionFormat] {
        switch range {
        case "*/*": [.text, .openMetrics, .protobuf]
        case "text/*": [.text]
        case "application/*": [.openMetrics, .protobuf]
        default: []
        }
    }

    private func isSameFormat(as other: ExpositionFormat) -> Bool {
        kind == other.kind && version == other.version
    }
}
