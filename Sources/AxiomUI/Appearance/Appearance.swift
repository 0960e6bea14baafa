// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// How the application looks, as the user chose it: theme, language and accessibility.
///
/// ``AppearanceClient`` owns it, ``AppearanceContext`` changes it, and every context reads it as a value:
/// ```swift
/// let theme = context.values[Appearance.self].theme
/// ```
public struct Appearance: OwnedState, Codable, AppValues.Key {
    /// Light or dark colours.
    public enum Theme: String, Sendable, Hashable, Codable, CaseIterable {
        case light
        case dark
        /// What the system uses.
        case system
    }

    /// How much colours differ.
    public enum Contrast: String, Sendable, Hashable, Codable, CaseIterable {
        /// What the system uses.
        case standard
        /// More than usual.
        case increased
    }

    /// What makes the application accessible.
    public struct Accessibility: Sendable, Hashable, Codable {
        /// The default size of text, in points.
        public static let baseTextSize = 17.0
        /// The sizes of text that an application can draw, in points.
        static let textSizes = 8.0...72.0

        /// The size of body text, in points: 17 by default. The system's own setting scales it further.
        public var textSize: Double
        /// Whether motion is replaced by fades or nothing. False by default: the system decides.
        public var reducesMotion: Bool
        /// How much colours differ: as usual by default.
        public var contrast: Contrast

        /// Makes settings; those of the system by default. ``Appearance/validate()`` checks them.
        public init(
            textSize: Double = baseTextSize,
            reducesMotion: Bool = false,
            contrast: Contrast = .standard
        ) {
            self.textSize = textSize
            self.reducesMotion = reducesMotion
            self.contrast = contrast
        }
    }

    /// What applies where no appearance was set: everything as the system has it.
    public static let fallback = Appearance()

    /// Light or dark colours: those of the system by default.
    public var theme: Theme
    /// The language; nil for that of the system.
    public var language: LanguageTag?
    /// What makes the application accessible.
    public var accessibility: Accessibility

    /// Creates an appearance; that of the system by default.
    public init(
        theme: Theme = .system,
        language: LanguageTag? = nil,
        accessibility: Accessibility = Accessibility()
    ) {
        self.theme = theme
        self.language = language
        self.accessibility = accessibility
    }

    /// Checks the values that their types do not check: the size of text. ``AppearanceClient`` calls it before each
    /// change.
    ///
    /// - Throws: `ValidationError` with the code `outOfRange`.
    public func validate() throws(ValidationError) {
        guard Accessibility.textSizes.contains(accessibility.textSize) else {
            throw .outOfRange("The size of text", Accessibility.textSizes)
        }
    }
}

/// A change of the appearance. It is refused before it reaches the client if its value is not valid.
public enum AppearanceAction: Action, Hashable {
    /// Sets the theme.
    case setTheme(Appearance.Theme)
    /// Sets the language, a tag of BCP 47; nil for that of the system.
    case setLanguage(String?)
    /// Sets the size of text, in points.
    case setTextSize(Double)
    /// Sets whether motion is reduced.
    case setReducesMotion(Bool)
    /// Sets the contrast.
    case setContrast(Appearance.Contrast)
    /// Replaces everything, for example by what was stored.
    case replace(Appearance)

    /// Refuses a size of text out of range, and a language that is not a tag of BCP 47.
    public func validate() throws(ValidationError) {
        _ = try applied(to: .fallback)
    }

    /// The appearance after this change.
    ///
    /// - Throws: `ValidationError` with the code `invalidFormat` or `outOfRange`.
    func applied(to old: Appearance) throws(ValidationError) -> Appearance {
        var new = old
        switch self {
        case .setTheme(let theme): new.theme = theme
        case .setLanguage(nil): new.language = nil
        case .setLanguage(let tag?): new.language = try LanguageTag(tag)
        case .setTextSize(let size): new.accessibility.textSize = size
        case .setReducesMotion(let isReduced): new.accessibility.reducesMotion = isReduced
        case .setContrast(let contrast): new.accessibility.contrast = contrast
        case .replace(let replacement): new = replacement
        }
        try new.validate()
        return new
    }
}
