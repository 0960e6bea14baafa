// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What the cart costs.
struct PricingView: Presentation {
    let context: PricingContext

    var body: String {
        TextPicture.block(
            "Price\(TextPicture.mark(stale: context.isStale))",
            context,
            context.quote.map { "\(TextPicture.money($0.total)), tax \(TextPicture.money($0.tax))" } ?? "not asked yet"
        )
    }
}
