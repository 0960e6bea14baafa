// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The inbox that is shown.
struct NotificationState: OwnedState {
    var messages: [Message] = []
    var read: Set<Int> = []
    var isLoaded = false
    /// Whether the messages are old ones because the server failed.
    var isStale = false

    var unread: Int { messages.count { !read.contains($0.id) } }
}
