// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// What the processing of an action does. The test chooses it.
package typealias Work = @Sendable () async throws -> Void

/// Private data that appears in every description of its owner.
package struct CardNumber: Sendable, CustomStringConvertible {
    package static let digits = "4111-1111-1111-1111"
    package init() {}
    package var description: String { Self.digits }
}

/// The names come from reflection. Every description of a value of this type contains its payload.
package enum TillAction: Action, CustomStringConvertible {
    case sell(Work)
    case refund(CardNumber)
    /// Changes the state with critical delivery: every subscriber gets it.
    case stamp
    /// Updates the state without a change.
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

/// What a seller does.
package enum CounterAction: Action, CustomStringConvertible {
    /// Calls the stateful client.
    case sell(Work)
    case refund(CardNumber)
    /// Calls the stateless client.
    case mail(Work)
    /// Calls no client.
    case think(Work)
    /// Calls the stateful client and catches its error.
    case sellAnyway(Work)

    package var description: String { "\(CardNumber.digits) was typed in" }
}

/// An error with its own code and severity.
package struct PaperJam: AxiomError {
    package init() {}
    package var code: ErrorCode { "SHOP_PRINTER_001" }
    package var message: String { "The printer is jammed." }
    package var recoverySuggestion: String { "Open it." }
    package var severity: ErrorSeverity { .critical }
}

/// An error that is not an `AxiomError`.
package struct Refused: Error, Equatable {
    package let reason: Int
    package init(reason: Int = 0) { self.reason = reason }
}
