// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be asked of the profile. Rare, so that its names are left to reflection.
enum ProfileAction: Action {
    case load(customer: String)
    case rename(customer: String, to: String)
}
