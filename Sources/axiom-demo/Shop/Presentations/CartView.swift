// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The cart.
struct CartView: Presentation {
    let context: CartContext

    var body: String {
        TextPicture.block(
            "Cart",
            context,
            context.lines.map { "\($0.quantity) × \($0.article)" }.joined(separator: "\n"),
            PricingView(context: context.pricing).body
        )
    }
}
