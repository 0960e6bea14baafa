// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What can be asked about prices. Frequent, so that its names are written by hand.
enum PricingAction: Action {
    case quote([CartLine])
    case reset

    static let caseNames = ["quote", "reset"]

    var caseIndex: Int {
        switch self {
        case .quote: 0
        case .reset: 1
        }
    }
}
