// SPDX-License-Identifier: Apache-2.0

/// One action that was sent to a context, from the sending to its end: over every attempt at it, and over what was done
/// about the error of the last.
@MainActor
final class ActionSlip {
    /// The slip of the action that this task carries out.
    @TaskLocal static var current: ActionSlip?

    /// How the action has ended as far as is known. Cancelled until somebody says otherwise: an action that was called
    /// off, perhaps while it waited for another attempt, is the one of which nobody says anything.
    private(set) var outcome: any WritableKeyPath<Outcomes, Int> & Sendable = \.cancelled
    /// What the last attempt threw, as long as nobody has said what became of it.
    private(set) var openError: (any Error)?

    /// The attempt succeeded.
    func succeeded() {
        (outcome, openError) = (\.success, nil)
    }

    /// The attempt threw `error`, of which nobody has said yet what becomes.
    func failed(_ error: any Error) {
        (outcome, openError) = (\.cancelled, error)
    }

    /// The error ended at the boundary, or was made good.
    func settled(_ outcome: any WritableKeyPath<Outcomes, Int> & Sendable) {
        (self.outcome, openError) = (outcome, nil)
    }
}
