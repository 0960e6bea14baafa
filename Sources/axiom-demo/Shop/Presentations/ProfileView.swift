// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The customer's profile.
struct ProfileView: Presentation {
    let context: ProfileContext

    var body: String {
        TextPicture.block(
            "Profile\(TextPicture.mark(stale: context.isStale))",
            context,
            context.name.isEmpty ? "nobody yet" : "\(context.name), \(context.points) points"
        )
    }
}
