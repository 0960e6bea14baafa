// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The checkout.
struct CheckoutView: Presentation {
    let context: CheckoutContext

    var body: String {
        TextPicture.block(
            "Checkout, \(context.ordersPlaced) orders placed",
            context,
            UserView(context: context.user).body,
            CartView(context: context.cart).body,
            PaymentView(context: context.payment).body
        )
    }
}
