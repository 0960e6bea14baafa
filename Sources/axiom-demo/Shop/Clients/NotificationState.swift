// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The inbox that is shown.
struct NotificationState: OwnedState {
    /// Whose it is; nil until one was loaded.
    var customer: String?
    var messages: [Message] = []
    var read: Set<Int> = []
    /// Whether the messages are old ones because the server failed.
    var isStale = false

    var isLoaded: Bool { customer != nil }
    var unread: Int { messages.count { !read.contains($0.id) } }
}
