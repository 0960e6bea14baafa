// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The system's own settings. With SwiftUI, `View.appearance(of:)` sets them.
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
    /// Whether the user chose dark or light colours; nil if the system decides.
    let chosenDark: Bool?
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
            increasesContrast: accessibility.contrast == .increased || system.increasesContrast,
            chosenDark: theme == .system ? nil : theme == .dark
        )
    }
}

extension ContextValues {
    /// The appearance to draw with. Reading it in the body of a presentation observes it.
    public var appearance: ResolvedAppearance {
        self[Appearance.self].resolved(in: self[SystemAppearance.self])
    }
}

/// The appearance to draw with as the output of a context, for a renderer that has an environment of its own.
package struct AppearancePresentation: Presentation {
    /// The context of the appearance.
    package let context: AppearanceContext

    /// Creates the presentation of `context`.
    package init(context: AppearanceContext) { self.context = context }

    /// The appearance to draw with.
    package var body: ResolvedAppearance { context.values.appearance }
}

/// The steps in which SwiftUI scales text, with the size of body text of each.
package enum TextScale: Double, Sendable, Hashable, CaseIterable {
    case xSmall = 14
    case small = 15
    case medium = 16
    case large = 17
    case xLarge = 19
    case xxLarge = 21
    case xxxLarge = 23
    case accessibility1 = 28
    case accessibility2 = 33
    case accessibility3 = 40
    case accessibility4 = 47
    case accessibility5 = 53

    /// The size of body text, in points.
    package var textSize: Double { rawValue }

    /// The step with the nearest size; the smaller one of two.
    package init(nearest size: Double) {
        self = Self.allCases.min { abs($0.textSize - size) < abs($1.textSize - size) } ?? .large
    }
}
