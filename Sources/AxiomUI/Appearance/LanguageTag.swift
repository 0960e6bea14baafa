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

    /// A text of any length may be passed; its beginning is enough for the message.
    private static func quoted(_ text: String) -> String {
        let visible = TextWrapping.visible(text)
        return visible.count > 40 ? "\"\(visible.prefix(40))…\"" : "\"\(visible)\""
    }

    /// Longer tags do not occur; RFC 5646 requires 35 bytes.
    private static let lengthLimit = 128

    private static func canonical(_ text: String) -> String? {
        // Before the change of case: the Kelvin sign becomes an ASCII letter.
        guard text.utf8.count <= lengthLimit, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let lower = text.lowercased()
        if let irregular = irregular[lower] { return irregular }
        let subtags = lower.split(separator: "-")
        guard lower.wholeMatch(of: grammar) != nil, hasNoRepetitions(subtags) else { return nil }
        // Only subtags behind the language and before the first single letter have other cases.
        let last = (subtags.firstIndex { $0.count == 1 } ?? subtags.endIndex) - 1
        let cased = subtags.enumerated().map { index, subtag in
            guard index > 0, index <= last else { return String(subtag) }
            switch subtag.count {
            case 2: return subtag.uppercased()
            case 4: return subtag.prefix(1).uppercased() + subtag.dropFirst()
            default: return String(subtag)
            }
        }
        return cased.joined(separator: "-")
    }

    /// The grammar of RFC 5646, for a text in lower case.
    private static var grammar: Regex<Substring> {
        #/
            (?: (?: [a-z]{2,3} (?: -[a-z]{3} ){0,3} | [a-z]{4,8} )     # the language with its extended subtags
                (?: -[a-z]{4} )?                                       # the script
                (?: -[a-z]{2} | -[0-9]{3} )?                           # the region
                (?: -[a-z0-9]{5,8} | -[0-9][a-z0-9]{3} )*              # the variants
                (?: -[0-9a-wyz] (?: -[a-z0-9]{2,8} )+ )*               # the extensions
                (?: -x (?: -[a-z0-9]{1,8} )+ )?                        # the private use
            |   x (?: -[a-z0-9]{1,8} )+ )
        /#
    }

    /// Whether no variant and no extension occurs twice.
    private static func hasNoRepetitions(_ subtags: [Substring]) -> Bool {
        let own = subtags.prefix { $0 != "x" }
        let singletons = own.filter { $0.count == 1 }
        let variants = own.prefix { $0.count > 1 }.dropFirst().filter { $0.count > 4 || $0.count == 4 && $0 < "a" }
        return Set(singletons).count == singletons.count && Set(variants).count == variants.count
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
