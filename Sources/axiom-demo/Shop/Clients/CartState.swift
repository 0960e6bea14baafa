// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What lies in the cart.
struct CartState: OwnedState, Codable {
    /// The most of one article.
    static let mostOfOne = 99

    var lines: [CartLine] = []

    var pieces: Int { lines.reduce(0) { $0 + $1.quantity } }

    /// Puts more of an article into the cart, up to ``mostOfOne``.
    mutating func add(_ article: String, _ quantity: Int) {
        if let index = lines.firstIndex(where: { $0.article == article }) {
            lines[index].quantity = min(Self.mostOfOne, lines[index].quantity + quantity)
        } else {
            lines.append(CartLine(article: article, quantity: min(Self.mostOfOne, quantity)))
        }
    }
}
