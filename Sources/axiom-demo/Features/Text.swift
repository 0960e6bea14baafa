// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation

/// The encoding of what the shop sends and stores.
enum ShopJSON {
    /// The value as UTF-8 with sorted keys: equal values have equal bytes.
    ///
    /// - Throws: The encoder's error, for a number that JSON cannot express.
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    /// The value that the bytes describe.
    ///
    /// - Throws: `DecodingError` that names what is missing or wrong.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }
}

/// The shop's renderer: lines of text.
@MainActor
enum TextBlock {
    /// A title, the indented lines below it, and the current error of the context if there is one.
    static func render(_ title: String, _ context: some Context, _ lines: String...) -> String {
        var all = lines.flatMap { $0.split(separator: "\n") }.map { "  \($0)" }
        if let error = context.errorBoundary.current?.error {
            all.append("  ! " + ((error as? any AxiomError)?.message ?? "\(error)"))
        }
        return ([title] + all).joined(separator: "\n")
    }

    /// An amount in cents, as in `12.05`.
    static func money(_ cents: Int) -> String {
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    static func mark(stale: Bool) -> String {
        stale ? " (from before)" : ""
    }
}
