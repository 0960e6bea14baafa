// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does on the home page.
enum HomeIntent: Action, Hashable {
    case refresh(customer: String)
    case notifications(NotificationIntent)
}
