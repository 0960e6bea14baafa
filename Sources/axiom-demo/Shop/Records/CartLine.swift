// SPDX-License-Identifier: Apache-2.0

/// One article in the cart.
struct CartLine: Codable, Hashable, Sendable {
    let article: String
    var quantity: Int
}
