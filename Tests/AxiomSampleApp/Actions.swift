// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// What an action does when it is processed: the test decides.
package typealias Work = @Sendable () async throws -> Void

/// Private data that prints itself wherever it is described.
package struct CardNumber: Sendable, CustomStringConvertible {
    package static let digits = "4111-1111-1111-1111"
    package init() {}
    package var description: String { Self.digits }
}

/// The names are found by reflection, and every way to print a value of this type would print its payload.
package enum TillAction: Action, CustomStringConvertible {
    case sell(Work)
    case refund(CardNumber)
    /// Changes the state, and no subscriber may miss it.
    case stamp
    /// Updates the state to what it is already.
    case close

    package var description: String { "\(CardNumber.digits) was charged" }
}

/// The names are written by hand, and one index is wrong.
package enum MailAction: Action {
    case send(Work)
    case misnumbered(index: Int)

    package static let caseNames = ["send", "misnumbered"]
    package var caseIndex: Int {
        switch self {
        case .send: 0
        case .misnumbered(let index): index
        }
    }
}

/// What the person at the counter does.
package enum CounterAction: Action, CustomStringConvertible {
    /// Asks the stateful client.
    case sell(Work)
    case refund(CardNumber)
    /// Asks the stateless client.
    case mail(Work)
    /// Asks no client.
    case think(Work)
    /// Asks the stateful client and keeps what it throws to itself.
    case sellAnyway(Work)

    package var description: String { "\(CardNumber.digits) was typed in" }
}

/// An error with a code and a severity of its own.
package struct PaperJam: AxiomError {
    package init() {}
    package var code: ErrorCode { "SHOP_PRINTER_001" }
    package var message: String { "The printer is jammed." }
    package var recoverySuggestion: String { "Open it." }
    package var severity: ErrorSeverity { .critical }
}

/// An error that says nothing but its type.
package struct Refused: Error, Equatable {
    package let reason: Int
    package init(reason: Int = 0) { self.reason = reason }
}
