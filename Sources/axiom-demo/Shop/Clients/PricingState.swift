// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What the cart costs, as far as it was asked.
struct PricingState: OwnedState {
    var quote: Quote?
}
