// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does to pay.
enum PaymentIntent: Action, Hashable {
    case pay
    case loadTotal
}
