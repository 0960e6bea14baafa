// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does with the inbox.
enum NotificationIntent: Action, Hashable {
    case refresh(customer: String)
    case markRead(Int)
    case markAllRead
}
