// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does on the settings page.
enum SettingsIntent: Action, Hashable {
    case rename(customer: String, to: String)
    case silence
}
