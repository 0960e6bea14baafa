// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Who buys.
struct UserView: Presentation {
    let context: UserContext

    var body: String {
        TextPicture.block(
            "Signed in: \(context.customer ?? "nobody")",
            context,
            ProfileView(context: context.profile).body
        )
    }
}
