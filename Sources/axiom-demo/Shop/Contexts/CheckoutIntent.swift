// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does at the checkout.
enum CheckoutIntent: Action, Hashable {
    case user(UserIntent)
    case cart(CartIntent)
    case payment(PaymentIntent)
    case placeOrder(customer: String)
}
