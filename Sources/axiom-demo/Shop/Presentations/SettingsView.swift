// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be changed.
struct SettingsView: Presentation {
    let context: SettingsContext

    var body: String {
        TextPicture.block(
            "Settings",
            context,
            ProfileView(context: context.profile).body,
            NotificationView(context: context.notifications).body
        )
    }
}
