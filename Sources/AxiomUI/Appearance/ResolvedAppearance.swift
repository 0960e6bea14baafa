// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The system's own settings, which the renderer sets as a value of the application.
public struct SystemAppearance: Sendable, Hashable, AppValues.Key {
    /// What applies where the system's settings are unknown.
    public static let fallback = SystemAppearance()

    /// Whether the colours are dark.
    public var isDark = false
    /// The language; nil if it is unknown.
    public var language: LanguageTag?
    /// The size of body text, in points.
    public var textSize = Appearance.Accessibility.baseTextSize
    /// Whether motion is reduced.
    public var reducesMotion = false
    /// Whether the contrast is increased.
    public var increasesContrast = false

    /// Creates the settings of an unknown system.
    public init() {}
}

/// The appearance to draw with: the user's choices, with the system's settings where the user left the choice to it.
public struct ResolvedAppearance: Sendable, Hashable {
    /// Whether the colours are dark.
    public let isDark: Bool
    /// The language; nil if neither chose one.
    public let language: LanguageTag?
    /// The size of body text, in points: within `Appearance.Accessibility.textSizes`.
    public let textSize: Double
    /// Whether motion is reduced: if either requests it.
    public let reducesMotion: Bool
    /// Whether the contrast is increased: if either requests it.
    public let increasesContrast: Bool
}

extension Appearance {
    /// The appearance to draw with.
    public func resolved(in system: SystemAppearance = .fallback) -> ResolvedAppearance {
        let sizes = Accessibility.textSizes
        let scaled = accessibility.textSize * system.textSize / Accessibility.baseTextSize
        return ResolvedAppearance(
            isDark: theme == .system ? system.isDark : theme == .dark,
            language: language ?? system.language,
            // Also for a value that is not a number.
            textSize: scaled >= sizes.lowerBound ? min(scaled, sizes.upperBound) : sizes.lowerBound,
            reducesMotion: accessibility.reducesMotion || system.reducesMotion,
            increasesContrast: accessibility.contrast == .increased || system.increasesContrast
        )
    }
}

extension ContextValues {
    /// The appearance to draw with. Reading it in the body of a presentation observes it.
    public var appearance: ResolvedAppearance {
        self[Appearance.self].resolved(in: self[SystemAppearance.self])
    }
}
