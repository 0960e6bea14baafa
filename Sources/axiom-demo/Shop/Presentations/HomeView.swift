// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What is new.
struct HomeView: Presentation {
    let context: HomeContext

    var body: String {
        TextPicture.block(
            "Home",
            context,
            ProfileView(context: context.profile).body,
            NotificationView(context: context.notifications).body
        )
    }
}
