// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What the shop's statistics are told.
enum ActivityAction: Action {
    case record(ActivityEvent)
}
