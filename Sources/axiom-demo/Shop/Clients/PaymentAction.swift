// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be asked about payments.
enum PaymentAction: Action {
    case pay(Payment)
    case loadTotal
}
