// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does with a profile.
enum ProfileIntent: Action, Hashable {
    case show(customer: String)
    case rename(customer: String, to: String)
}
