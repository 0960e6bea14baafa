// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The inbox.
struct NotificationView: Presentation {
    let context: NotificationContext

    var body: String {
        TextPicture.block(
            "Inbox, \(context.unread) new\(TextPicture.mark(stale: context.isStale))",
            context,
            context.messages.joined(separator: "\n")
        )
    }
}
