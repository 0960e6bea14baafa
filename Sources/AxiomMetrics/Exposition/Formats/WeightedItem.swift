// SPDX-License-Identifier: Apache-2.0

/// One entry of a header such as `Accept` or `Accept-Encoding`: `text/plain;version=0.0.4;q=0.5`.
package struct WeightedItem: Hashable, Sendable {
    /// What is asked for, in lower case.
    package let value: String
    /// The parameters but `q`, with names in lower case.
    package let parameters: [String: String]
    /// How much it is wanted, 0...1; 0 refuses it.
    package let weight: Double

    /// The entries of a header, the most wanted first and otherwise as they stand. Entries with a `q` that is no number
    /// from 0 to 1 are left out.
    package static func list(_ header: String) -> [WeightedItem] {
        split(header, at: ",").compactMap(WeightedItem.init).enumerated().sorted { left, right in
            left.element.weight == right.element.weight
                ? left.offset < right.offset : left.element.weight > right.element.weight
        }.map(\.element)
    }

    private init?(_ text: Substring) {
        let parts = Self.split(text, at: ";").map(Self.trimmed)
        guard let value = parts.first, !value.isEmpty else { return nil }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2 else { continue }
            parameters[Self.trimmed(pair[0]).lowercased()] = Self.unquoted(Self.trimmed(pair[1]))
        }
        let weight = parameters.removeValue(forKey: "q").map(Double.init) ?? 1
        guard let weight, (0...1).contains(weight) else { return nil }
        self.value = value.lowercased()
        self.parameters = parameters
        self.weight = weight
    }

    /// Splits where the separator does not stand in quotes.
    private static func split(_ text: some StringProtocol, at separator: Character) -> [Substring] {
        var isQuoted = false
        return Substring(text).split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == separator && !isQuoted
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }

    private static func unquoted(_ text: Substring) -> String {
        text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            ? String(text.dropFirst().dropLast()) : String(text)
    }
}
