// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import Axiom
internal import Foundation
public import SwiftUI

extension View {
    /// Draws this view with the appearance of the application, and makes the settings of the system values of the
    /// application: contexts read both as `context.values.appearance`.
    ///
    /// Use it once, at the root. The orchestrator runs and has an appearance; see
    /// ``Axiom/Orchestrator/registerAppearance(_:)``.
    @MainActor
    public func appearance(of orchestrator: Orchestrator) -> some View {
        modifier(AppearanceModifier(orchestrator))
    }
}

@MainActor
private struct AppearanceModifier: ViewModifier {
    @Environment(\.colorScheme) private var colorScheme
    @Environment(\.colorSchemeContrast) private var contrast
    @Environment(\.locale) private var locale
    @Environment(\.dynamicTypeSize) private var typeSize
    @Environment(\.accessibilityReduceMotion) private var reducesMotion
    @State private var model: PresentationModel<AppearancePresentation>
    private let orchestrator: Orchestrator

    init(_ orchestrator: Orchestrator) {
        self.orchestrator = orchestrator
        _model = State(wrappedValue: PresentationModel(AppearancePresentation.self, orchestrator))
    }

    func body(content: Content) -> some View {
        let system = system
        let appearance = model.output ?? Appearance.fallback.resolved(in: system)
        content
            .environment(\.appearance, appearance)
            .environment(\.locale, appearance.language.map { Locale(identifier: $0.description) } ?? locale)
            .environment(\.dynamicTypeSize, DynamicTypeSize(TextScale(nearest: appearance.textSize)))
            // Nil for the system's choice: the preference changes the scheme that this modifier reads.
            .preferredColorScheme(appearance.chosenDark.map { $0 ? .dark : .light })
            .transaction { if appearance.reducesMotion { $0.animation = nil } }
            .onChange(of: system, initial: true) { _, new in orchestrator.values[SystemAppearance.self] = new }
            .task { await model.appear() }
            .onDisappear { Task { await model.disappear() } }
    }

    private var system: SystemAppearance {
        var system = SystemAppearance()
        system.isDark = colorScheme == .dark
        system.language = try? LanguageTag(locale.identifier(.bcp47))
        system.textSize = TextScale(typeSize).textSize
        system.reducesMotion = reducesMotion
        system.increasesContrast = contrast == .increased
        return system
    }
}

extension TextScale {
    fileprivate init(_ size: DynamicTypeSize) {
        let known = Self.allCases.first { DynamicTypeSize($0) == size }
        self = known ?? .large
    }
}

extension DynamicTypeSize {
    fileprivate init(_ scale: TextScale) {
        switch scale {
        case .xSmall: self = .xSmall
        case .small: self = .small
        case .medium: self = .medium
        case .large: self = .large
        case .xLarge: self = .xLarge
        case .xxLarge: self = .xxLarge
        case .xxxLarge: self = .xxxLarge
        case .accessibility1: self = .accessibility1
        case .accessibility2: self = .accessibility2
        case .accessibility3: self = .accessibility3
        case .accessibility4: self = .accessibility4
        case .accessibility5: self = .accessibility5
        }
    }
}
#endif
