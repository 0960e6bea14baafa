// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The application with the page that is open.
struct AppNavigationView: Presentation {
    let context: AppNavigationContext

    var body: String {
        switch context.page {
        case .home: TextPicture.block("Shop", context, HomeView(context: context.home).body)
        case .settings: TextPicture.block("Shop", context, SettingsView(context: context.settings).body)
        }
    }
}
