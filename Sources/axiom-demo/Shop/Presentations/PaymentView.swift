// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// How the cart is paid.
struct PaymentView: Presentation {
    let context: PaymentContext

    var body: String {
        TextPicture.block(
            "Payment",
            context,
            context.receipt.map { "receipt \($0.number): \(TextPicture.money($0.amount))" } ?? "nothing paid yet",
            "paid in all: \(TextPicture.money(context.paidInAll))",
            PricingView(context: context.pricing).body
        )
    }
}
