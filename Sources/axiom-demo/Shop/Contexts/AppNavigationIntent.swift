// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The pages of the application.
enum Page: String, Hashable, Sendable, CaseIterable {
    case home
    case settings
}

/// What a person does at the root of the application.
enum AppNavigationIntent: Action, Hashable {
    case open(Page)
    case home(HomeIntent)
    case settings(SettingsIntent)
}
