// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// A well-formed language tag of BCP 47 (RFC 5646), such as `en`, `de-CH` or `zh-Hant-TW`.
///
/// Only the form is checked, not whether the subtags are registered. Letters have the case that the standard
/// recommends, so tags that differ only in case are equal.
public struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// The tag.
    public let description: String

    /// Checks `text`.
    ///
    /// - Throws: `ValidationError` with the code `invalidFormat`.
    public init(_ text: String) throws(ValidationError) {
        guard let tag = Self.canonical(text) else {
            throw .invalidFormat("The language \(Self.quoted(text))", expected: "of BCP 47, as in en or de-CH")
        }
        description = tag
    }

    /// The tag and its more general forms: `zh-Hant-TW`, `zh-Hant`, `zh`.
    package var candidates: [String] {
        let parts = description.split(separator: "-")
        return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
    }

    /// A text of any length may be passed; its beginning is enough for the message.
    private static func quoted(_ text: String) -> String {
        let visible = TextWrapping.visible(text)
        return visible.count > 40 ? "\"\(visible.prefix(40))…\"" : "\"\(visible)\""
    }

    /// Longer tags do not occur; RFC 5646 requires 35 bytes.
    private static let lengthLimit = 128

    private static func canonical(_ text: String) -> String? {
        // Before the change of case: the Kelvin sign becomes an ASCII letter.
        guard !text.isEmpty, text.utf8.count <= lengthLimit, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let lower = text.lowercased()
        if let irregular = irregular[lower] { return irregular }
        let parts = lower.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ 1...8 ~= $0.utf8.count && $0.utf8.allSatisfy(isAlphanumeric) }) else { return nil }
        var reader = SubtagReader(parts)
        return reader.read() ? reader.result.joined(separator: "-") : nil
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// The registered tags that do not follow the grammar.
    private static let irregular = Dictionary(
        [
            "en-GB-oed", "i-ami", "i-bnn", "i-default", "i-enochian", "i-hak", "i-klingon", "i-lux", "i-mingo",
            "i-navajo", "i-pwn", "i-tao", "i-tay", "i-tsu", "sgn-BE-FR", "sgn-BE-NL", "sgn-CH-DE",
        ]
        .map { ($0.lowercased(), $0) }
    ) { $1 }
}

extension LanguageTag: Codable {
    /// Reads a tag.
    ///
    /// - Throws: `DecodingError`, or `ValidationError` if the text is not a tag.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the tag as one string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Reads the subtags of a language tag in the order of the grammar. All are in lower case and have 1 to 8 letters or
/// digits.
private struct SubtagReader {
    private var parts: ArraySlice<Substring>
    private(set) var result: [String] = []

    init(_ parts: [Substring]) { self.parts = parts[...] }

    /// Whether all subtags follow the grammar.
    mutating func read() -> Bool {
        if parts.first != "x" {
            guard readLanguage() else { return false }
            readScriptAndRegion()
            guard readVariants(), readExtensions() else { return false }
        }
        return (parts.isEmpty || readPrivateUse()) && parts.isEmpty
    }

    private mutating func readLanguage() -> Bool {
        guard let language = parts.first, 2...8 ~= language.count, language.allSatisfy(\.isLetter) else { return false }
        take(String(language))
        var extended = language.count <= 3 ? 3 : 0
        while extended > 0, let part = parts.first, part.count == 3, part.allSatisfy(\.isLetter) {
            take(String(part))
            extended -= 1
        }
        return true
    }

    private mutating func readScriptAndRegion() {
        if let part = parts.first, part.count == 4, part.allSatisfy(\.isLetter) {
            take(part.prefix(1).uppercased() + part.dropFirst())
        }
        guard let part = parts.first else { return }
        let isCountry = part.count == 2 && part.allSatisfy(\.isLetter)
        if isCountry || part.count == 3 && part.allSatisfy(\.isNumber) { take(part.uppercased()) }
    }

    private mutating func readVariants() -> Bool {
        var seen: Set<Substring> = []
        while let part = parts.first, part.count >= 5 || part.count == 4 && part.first?.isNumber == true {
            guard seen.insert(part).inserted else { return false }
            take(String(part))
        }
        return true
    }

    private mutating func readExtensions() -> Bool {
        var seen: Set<Substring> = []
        while let singleton = parts.first, singleton.count == 1, singleton != "x" {
            guard seen.insert(singleton).inserted else { return false }
            take(String(singleton))
            guard takeAll(minimum: 2) else { return false }
        }
        return true
    }

    private mutating func readPrivateUse() -> Bool {
        guard parts.first == "x" else { return false }
        take("x")
        return takeAll(minimum: 1)
    }

    private mutating func take(_ subtag: String) {
        result.append(subtag)
        parts.removeFirst()
    }

    /// Takes the following subtags that have at least this length.
    ///
    /// - Returns: Whether there was one.
    private mutating func takeAll(minimum: Int) -> Bool {
        let count = result.count
        while let part = parts.first, part.count >= minimum { take(String(part)) }
        return result.count > count
    }
}
