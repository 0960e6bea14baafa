// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The profile that is shown.
struct ProfileState: OwnedState {
    var profile: Profile?
    /// Whether the profile is an old one because the server failed.
    var isStale = false
}
