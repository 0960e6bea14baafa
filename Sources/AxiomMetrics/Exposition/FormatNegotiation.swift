// SPDX-License-Identifier: Apache-2.0

extension ExpositionFormat {
    /// The preferred supported format of an `Accept` header.
    ///
    /// Higher `q` values win, then earlier entries; `q=0` refuses a format. `*/*` and `text/*` mean text 0.0.4 if it is not
    /// refused. A header without a supported format, or that refuses all of them, selects text 0.0.4, because a page is
    /// more useful than an error. A missing or unknown `escaping` means underscores. OpenMetrics 2.0 is selected only by
    /// its version: without one, OpenMetrics means 1.0.
    ///
    /// - Parameter accept: The header's value; nil if the request has none.
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

    /// The format that an entry names; nil if it is not supported.
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
            if version == "2.0.0" { return ExpositionFormat(.openMetrics2, "2.0.0", escaping) }
            // Without a version any version is allowed; the specification of 2.0 makes 1.0 the default.
            guard ["1.0.0", "0.0.1", nil].contains(version) else { return nil }
            return ExpositionFormat(.openMetrics, version ?? "1.0.0", escaping)
        case "text/plain":
            guard ["1.0.0", "0.0.4", nil].contains(version) else { return nil }
            return ExpositionFormat(.text, version ?? "0.0.4", escaping)
        default: return nil
        }
    }

    /// The formats that a range of media types allows, the most widely supported first.
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

/// One entry of a header such as `Accept` or `Accept-Encoding`: `text/plain;version=0.0.4;q=0.5`.
package struct WeightedItem: Hashable, Sendable {
    /// The media type or coding, in lower case.
    package let value: String
    /// The parameters but `q`, with names in lower case.
    package let parameters: [String: String]
    /// The preference, 0...1; 0 refuses the value.
    package let weight: Double

    /// The most bytes of a header that are read; entries that reach beyond them are ignored. Prometheus sends about 400
    /// bytes, browsers about 200.
    static let maximumLength = 4_096

    /// The entries of a header by descending preference, in a stable order. Ignores entries with a `q` that is not a number
    /// from 0 to 1. Cost: one pass over at most 4,096 bytes.
    package static func list(_ header: String) -> [WeightedItem] {
        let bytes = Array(header.utf8.prefix(maximumLength + 1))
        var parts = split(bytes[...], at: UInt8(ascii: ","))
        if bytes.count > maximumLength, !parts.isEmpty { parts.removeLast() }
        // The sort is stable.
        return parts.compactMap(WeightedItem.init).sorted { $0.weight > $1.weight }
    }

    private init?(_ bytes: ArraySlice<UInt8>) {
        let parts = Self.split(bytes, at: UInt8(ascii: ";")).map(Self.trimmed)
        guard let value = parts.first, !value.isEmpty else { return nil }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = Self.lowercased(Self.trimmed(part[..<equals]))
            parameters[name] = Self.unquoted(Self.trimmed(part[(equals + 1)...]))
        }
        let weight = parameters.removeValue(forKey: "q").map(Double.init) ?? 1
        guard let weight, (0...1).contains(weight) else { return nil }
        self.value = Self.lowercased(value)
        self.parameters = parameters
        self.weight = weight
    }

    /// Splits at separators outside quotes and omits empty parts.
    private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
        var isQuoted = false
        return bytes.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == separator && !isQuoted
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return bytes[first...last]
    }

    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
        let quote = UInt8(ascii: "\"")
        let isQuoted = bytes.count >= 2 && bytes.first == quote && bytes.last == quote
        return String(decoding: isQuoted ? bytes.dropFirst().dropLast() : bytes, as: UTF8.self)
    }

    /// Converts ASCII letters to lower case; names of media types and parameters have no others.
    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: bytes.map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
