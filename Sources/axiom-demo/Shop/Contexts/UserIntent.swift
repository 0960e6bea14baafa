// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does to be known, or no longer.
enum UserIntent: Action, Hashable {
    case signIn(customer: String)
    case signOut
}
