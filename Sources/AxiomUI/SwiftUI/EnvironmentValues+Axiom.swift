// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import Axiom
public import SwiftUI

private struct AppValuesKey: EnvironmentKey {
    static let defaultValue = AppValues()
}

private struct AppearanceKey: EnvironmentKey {
    static let defaultValue = Appearance.fallback.resolved()
}

extension EnvironmentValues {
    /// The values of the application that `appValue(_:of:)` passed down. A key that was not passed has
    /// its fallback.
    public var appValues: AppValues {
        get { self[AppValuesKey.self] }
        set { self[AppValuesKey.self] = newValue }
    }

    /// The appearance to draw with, below a view with `appearance(of:)`.
    public var appearance: ResolvedAppearance {
        get { self[AppearanceKey.self] }
        set { self[AppearanceKey.self] = newValue }
    }
}

extension View {
    /// Passes a value of a context down to views that do not know the context:
    /// ```swift
    /// var body: some View { CartList(context).appValue(Currency.self, of: context) }
    /// ```
    /// A view reads it with `@Environment(\.appValues)`. In the body of a presentation, this observes the value.
    @MainActor
    public func appValue<K: AppValues.Key>(_ key: K.Type, of context: some Context) -> some View {
        let value = context.values[key]
        return transformEnvironment(\.appValues) { $0[key] = value }
    }
}
#endif
