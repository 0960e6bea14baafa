// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a person does with the cart. Frequent, so that its names are written by hand.
enum CartIntent: Action, Hashable {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case clear
    case price

    static let caseNames = ["add", "remove", "clear", "price"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .clear: 2
        case .price: 3
        }
    }
}
