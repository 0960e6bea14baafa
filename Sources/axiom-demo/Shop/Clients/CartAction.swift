// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be asked of the cart. Frequent, so that its names are written by hand.
enum CartAction: Action {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case clear
    case save

    static let caseNames = ["add", "remove", "clear", "save"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .clear: 2
        case .save: 3
        }
    }
}
