// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What was paid.
struct PaymentState: OwnedState {
    var lastReceipt: Receipt?
    /// In cents, as the server knows it.
    var paidInAll = 0
}
