// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The texts of errors in the languages of an application.
///
/// English is built in. An application adds a table for each other language, and says which languages the user prefers:
/// ```swift
/// ErrorLocalization.add(
///     [.noConnection: ErrorText("Keine Verbindung.", suggestion: "Prüfen Sie das Netz.")],
///     language: "de"
/// )
/// ErrorLocalization.prefer(["de-CH", "en"])
/// ```
/// `localizedDescription` of each ``AxiomError`` then is the text of its code in the first of these languages that has
/// one: `de-CH`, then `de`, and so on. Without one it is the error's own ``AxiomError/message``, in English, which names
/// the components involved. Logs and ``AxiomError/description`` stay in English.
///
/// In a text, `{message}` stands for the error's own message, `{component}` for the component in which it originated, if
/// that is known, and `{code}` for its code.
public enum ErrorLocalization {
    private struct Tables: Sendable {
        /// By language, in lower case, as in `de-ch`.
        var texts: [String: [ErrorCode: ErrorText]] = [:]
        var preferred: [String] = []
    }

    /// Shared by the process, because `LocalizedError` knows no other place.
    private static let tables = Lock(Tables())

    /// Adds the texts of a language. A text replaces an earlier one of the same code.
    ///
    /// - Parameter language: A language tag, as in `de` or `de-CH`.
    public static func add(_ texts: [ErrorCode: ErrorText], language: String) {
        tables.withLock { $0.texts[normalized(language), default: [:]].merge(texts) { $1 } }
    }

    /// Sets the languages of the user, the preferred first. By default none, which is English.
    public static func prefer(_ languages: [String]) {
        tables.withLock { $0.preferred = languages.map(normalized) }
    }

    /// The text of a code in a language; nil if there is none. `en` has a text for each code of the framework: its
    /// meaning and its remedy.
    public static func text(of code: ErrorCode, language: String) -> ErrorText? {
        let tables = tables.withLock { $0 }
        return candidates(normalized(language)).lazy.compactMap { text(of: code, $0, tables) }.first
    }

    /// The text of an error in the languages of the user; nil if its own message applies.
    static func text(of error: some AxiomError) -> ErrorText? {
        let tables = tables.withLock { $0 }
        guard !tables.texts.isEmpty else { return nil }
        for language in tables.preferred.flatMap(candidates) {
            if let text = tables.texts[language]?[error.code] { return text.filled(for: error) }
            if language == "en" { return nil }
        }
        return nil
    }

    private static func text(of code: ErrorCode, _ language: String, _ tables: Tables) -> ErrorText? {
        if let text = tables.texts[language]?[code] { return text }
        guard language == "en", let entry = ErrorCatalog.entry(for: code) else { return nil }
        return ErrorText(entry.meaning, suggestion: entry.remedy)
    }

    private static func normalized(_ language: String) -> String {
        String(language.lowercased().map { $0 == "_" ? "-" : $0 })
    }

    /// The language, and the more general ones: `de-ch`, `de`.
    private static func candidates(_ language: String) -> [String] {
        var (parts, found) = (language.split(separator: "-"), [String]())
        while !parts.isEmpty {
            found.append(parts.joined(separator: "-"))
            parts.removeLast()
        }
        return found
    }
}

/// What an error tells the user in one language.
public struct ErrorText: Sendable, Hashable {
    /// What happened.
    public let message: String
    /// The remedy; nil for that of the error.
    public let suggestion: String?

    /// Makes a text.
    public init(_ message: String, suggestion: String? = nil) {
        self.message = message
        self.suggestion = suggestion
    }

    fileprivate func filled(for error: some AxiomError) -> ErrorText {
        func fill(_ text: String) -> String {
            // The message last: it can contain a placeholder as a text.
            text.replacing("{code}", with: error.code.rawValue)
                .replacing("{component}", with: error.origin?.name ?? "")
                .replacing("{message}", with: error.message)
        }
        return ErrorText(fill(message), suggestion: suggestion.map(fill))
    }
}
