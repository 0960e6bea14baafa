// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Who is signed in.
struct UserState: OwnedState {
    var session: Session?
}
