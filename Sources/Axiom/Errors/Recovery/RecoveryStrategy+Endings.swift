// SPDX-License-Identifier: Apache-2.0

// How an error ends: it is counted once, whatever is shown.
extension RecoveryStrategy {
    /// The error ends here, and is the boundary's current error until an action succeeds or it is dismissed. What
    /// happens unless a context says otherwise.
    public static let surface = RecoveryStrategy(steps: [.ending(.surface)])

    /// The error ends here and is kept in the history, and nobody is interrupted. A critical one is shown all the same.
    public static let silent = RecoveryStrategy(steps: [.ending(.silent)])

    /// The error ends here, and a notification waits in the boundary's queue.
    ///
    /// - Parameters:
    ///   - message: What to tell; the error's own message unless given.
    ///   - options: What can be chosen. Unless given: to try again, where that is what the error suggests, and to
    ///     dismiss it.
    public static func notify(_ message: String? = nil, options: [RecoveryOption] = []) -> RecoveryStrategy {
        RecoveryStrategy(steps: [.ending(.notification(message: message, options: options))])
    }

    /// The error ends here, and what failed goes into an explicit error state, from which `options` lead out.
    ///
    /// - Parameters:
    ///   - options: What can be chosen; they stand in the boundary's current entry. As in ``notify(_:options:)`` unless
    ///     given.
    ///   - enter: Makes the transition, for example by an action of the client. What it throws is kept in the entry.
    public static func errorState(
        options: [RecoveryOption] = [],
        enter: @escaping @MainActor @Sendable (any Error) async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy(steps: [.ending(.errorState(options, enter: enter))])
    }

    /// Hands the error to the context that owns this one, whose ``Context/recovery(for:)`` then decides; above the last
    /// context stands the orchestrator.
    public static let propagate = RecoveryStrategy(steps: [.propagation])
}
