// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be asked of the inbox.
enum NotificationAction: Action {
    case refresh(customer: String)
    case markRead(Int)
    case markAllRead
}
