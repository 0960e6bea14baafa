// SPDX-License-Identifier: Apache-2.0

/// Makes names and labels that Prometheus accepts out of any text.
enum PrometheusName {
    /// Letters, digits and underscores of ASCII as they are, everything else as underscores, one for each Unicode
    /// scalar; with an underscore in front where there would be a digit or nothing.
    static func sanitized(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars { name.unicodeScalars.append(isAllowed(scalar) ? scalar : "_") }
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return "_" + name }
        return name
    }

    /// A label's name: sanitised, and none of those that are reserved.
    static func label(_ text: String) -> String {
        let name = sanitized(text)
        if name == "le" || name == "quantile" { return "exported_" + name }
        return name.hasPrefix("__") ? "_" + name.drop { $0 == "_" } : name
    }

    /// The labels of a series, each name once. Where several dimensions become one name, their values are joined by
    /// semicolons in the order of the original names (and, where these are the same too, of the values), as
    /// OpenTelemetry's mapping to Prometheus does
    /// (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#metric-attributes).
    static func labels(_ dimensions: [(String, String)]) -> [(name: String, value: String)] {
        var values: [String: [(original: String, value: String)]] = [:]
        for (original, value) in dimensions where !value.isEmpty {
            values[label(original), default: []].append((original, value))
        }
        return values.map { name, clashing in
            let ordered = clashing.sorted { ($0.original, $0.value) < ($1.original, $1.value) }
            return (name, ordered.map(\.value).joined(separator: ";"))
        }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
