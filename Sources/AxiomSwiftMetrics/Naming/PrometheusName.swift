// SPDX-License-Identifier: Apache-2.0

/// Makes names and labels that Prometheus accepts out of any text.
enum PrometheusName {
    /// Letters, digits and underscores of ASCII as they are, everything else as underscores, one for each Unicode
    /// scalar; with an underscore in front where there would be a digit or nothing.
    static func sanitized(_ text: String) -> String {
        if isName(text) { return text }
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
        let labels = dimensions.lazy.filter { !$0.1.isEmpty }.map { (name: label($0.0), value: $0.1) }
            .sorted { $0.name < $1.name }
        let clashes = zip(labels, labels.dropFirst()).contains { $0.name == $1.name }
        return clashes ? joined(dimensions) : labels
    }

    private static func joined(_ dimensions: [(String, String)]) -> [(name: String, value: String)] {
        let groups = Dictionary(grouping: dimensions.filter { !$0.1.isEmpty }) { label($0.0) }
        return groups.map { name, clashing in
            (name, clashing.sorted(by: precedes).map(\.1).joined(separator: ";"))
        }
    }

    /// By bytes: what Swift holds for the same text in two spellings would have no order, and so no one series.
    private static func precedes(_ left: (String, String), _ right: (String, String)) -> Bool {
        if left.0.utf8.elementsEqual(right.0.utf8) { return left.1.utf8.lexicographicallyPrecedes(right.1.utf8) }
        return left.0.utf8.lexicographicallyPrecedes(right.0.utf8)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { isAllowed(Unicode.Scalar($0)) }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
