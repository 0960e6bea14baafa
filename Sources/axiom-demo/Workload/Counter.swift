// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The place at which one shopper stands: what windows are opened with.
@MainActor
struct Counter {
    let orchestrator: Orchestrator
    let ledger: Ledger
    let screens: Screens
    let shopper: Int
}
