// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be asked about the person at the shop.
enum UserAction: Action {
    case signIn(customer: String)
    case signOut
}
