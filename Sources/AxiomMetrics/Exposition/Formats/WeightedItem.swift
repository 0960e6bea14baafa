// SPDX-License-Identifier: Apache-2.0

/// One entry of a header such as `Accept` or `Accept-Encoding`: `text/plain;version=0.0.4;q=0.5`.
package struct WeightedItem: Hashable, Sendable {
    /// The media type or coding, in lower case.
    package let value: String
    /// The parameters but `q`, with names in lower case.
    package let parameters: [String: String]
    /// How much it is wanted, 0...1; 0 refuses it.
    package let weight: Double

    /// The most bytes of a header that are read. Entries that begin behind them, or reach beyond, are left out: what
    /// Prometheus sends takes some 400 bytes, what browsers send some 200.
    static let maximumLength = 4_096

    /// The entries of a header, the most wanted first and otherwise as they stand. Entries with a `q` that is no number
    /// from 0 to 1 are left out. Cost: one pass over the bytes, of which at most 4,096 are read.
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

    /// Splits where the separator does not stand in quotes; leaves out what is empty.
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

    /// ASCII letters in lower case; names of media types and parameters have no others.
    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return String(decoding: bytes.map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
