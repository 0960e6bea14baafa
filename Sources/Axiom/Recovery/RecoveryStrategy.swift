// SPDX-License-Identifier: Apache-2.0

/// How to recover from an error, or how to end it: what ``Context/recovery(for:)`` returns.
///
/// ```swift
/// func recovery(for error: any Error) -> RecoveryStrategy {
///     switch error {
///     case is AuthorizationError: .navigate { [router] in try await router.show(.signIn) }
///     case is NetworkError: .retry(attempts: 3).otherwise(.notify())
///     default: .surface
///     }
/// }
/// ```
/// There are three kinds of step, which ``otherwise(_:)`` puts in an order. A *remedy* tries to recover: if it
/// succeeds, the error is reported as recovered and is not counted. An *ending* counts the error, once, and determines
/// how it is shown. ``propagate`` passes it to the boundary above, which then decides. An error that is left after the
/// last step ends as with ``surface``.
public struct RecoveryStrategy: Sendable, CustomStringConvertible {
    struct Remedy: Sendable {
        let name: String
        let body: @MainActor @Sendable (FailedOperation) async throws -> Void
    }

    enum Ending: Sendable {
        case surface([RecoveryOption])
        case silent
        case notification(message: String?, options: [RecoveryOption])
    }

    enum Step: Sendable {
        case remedy(Remedy)
        case ending(Ending)
        case propagation
    }

    private(set) var steps: [Step]

    init(steps: [Step]) { self.steps = steps }

    /// Makes a remedy of the application's own.
    ///
    /// - Parameters:
    ///   - name: The name in metrics: one of a few fixed names, never a value.
    ///   - recover: Recovers, for example by running the operation again. If it returns, the error is recovered; if it
    ///     throws, the next step follows. A `CancellationError` cancels the whole operation.
    public init(_ name: String, _ recover: @escaping @MainActor @Sendable (FailedOperation) async throws -> Void) {
        steps = [.remedy(Remedy(name: name, body: recover))]
    }

    /// This strategy, then `next` if the error is not settled. A step after an ending never runs.
    public func otherwise(_ next: RecoveryStrategy) -> RecoveryStrategy {
        RecoveryStrategy(steps: steps + next.steps)
    }

    /// The steps in order, as in `retry, otherwise fallback, otherwise surface`.
    public var description: String { steps.map(\.name).joined(separator: ", otherwise ") }
}

extension RecoveryStrategy.Step {
    var name: String {
        switch self {
        case .remedy(let remedy): remedy.name
        case .ending(.surface): "surface"
        case .ending(.silent): "silent"
        case .ending(.notification): "notify"
        case .propagation: "propagate"
        }
    }
}

// Endings: each error is counted once, whether it is shown or not.
extension RecoveryStrategy {
    /// The error ends here, and is the boundary's current error until an action succeeds or it is dismissed. This is
    /// the default of a context.
    public static let surface = RecoveryStrategy(steps: [.ending(.surface([]))])

    /// The error ends here, and is the boundary's current error until an action succeeds or it is dismissed.
    ///
    /// - Parameter options: The user's options; they are in the boundary's current entry. The default is that of
    ///   ``notify(_:options:)``.
    public static func surface(options: [RecoveryOption]) -> RecoveryStrategy {
        RecoveryStrategy(steps: [.ending(.surface(options))])
    }

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

    /// Passes the error to the upstream context, whose ``Context/recovery(for:)`` then decides. The topmost context
    /// passes it to the orchestrator.
    public static let propagate = RecoveryStrategy(steps: [.propagation])
}
