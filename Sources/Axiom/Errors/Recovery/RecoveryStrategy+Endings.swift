// SPDX-License-Identifier: Apache-2.0

// Endings: each error is counted once, whether it is shown or not.
extension RecoveryStrategy {
    /// The error ends here, and is the boundary's current error until an action succeeds or it is dismissed. This is
    /// the default of a context.
    public static let surface = RecoveryStrategy(steps: [.ending(.surface)])

    /// The error ends here and is kept in the history, but is not shown. A critical error is shown nevertheless.
    public static let silent = RecoveryStrategy(steps: [.ending(.silent)])

    /// The error ends here, and a notification is added to the boundary's queue.
    ///
    /// - Parameters:
    ///   - message: The text. The default is the error's own message.
    ///   - options: The user's options. The default: to retry, if the error suggests it, and to dismiss.
    public static func notify(_ message: String? = nil, options: [RecoveryOption] = []) -> RecoveryStrategy {
        RecoveryStrategy(steps: [.ending(.notification(message: message, options: options))])
    }

    /// The error ends here, and the failed component enters an explicit error state, which `options` can leave.
    ///
    /// - Parameters:
    ///   - options: The user's options; they are in the boundary's current entry. The default is that of
    ///     ``notify(_:options:)``.
    ///   - enter: Makes the transition, for example by an action of the client. The entry keeps an error that it
    ///     throws.
    public static func errorState(
        options: [RecoveryOption] = [],
        enter: @escaping @MainActor @Sendable (any Error) async throws -> Void
    ) -> RecoveryStrategy {
        RecoveryStrategy(steps: [.ending(.errorState(options, enter: enter))])
    }

    /// Passes the error to the upstream context, whose ``Context/recovery(for:)`` then decides. The topmost context
    /// passes it to the orchestrator.
    public static let propagate = RecoveryStrategy(steps: [.propagation])
}
