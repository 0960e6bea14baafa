// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// An option that the user can choose for an error.
public struct RecoveryOption: Sendable {
    /// The text of its button.
    public let title: String
    /// The suggested action, for the renderer.
    public let action: ErrorAction
    private let body: @MainActor @Sendable (FailedOperation) async throws -> Void
    /// Set if the option is offered for a failed operation.
    private var operation: FailedOperation?

    /// Makes an option.
    ///
    /// - Parameter perform: Runs when the option is chosen. The boundary settles an error that it throws.
    public init(
        _ title: String,
        _ action: ErrorAction = .dismiss,
        perform: @escaping @MainActor @Sendable () async throws -> Void
    ) {
        self.title = title
        self.action = action
        body = { _ in try await perform() }
    }

    private init(
        _ title: String,
        _ action: ErrorAction,
        body: @escaping @MainActor @Sendable (FailedOperation) async throws -> Void
    ) {
        self.title = title
        self.action = action
        self.body = body
    }

    /// Runs the failed operation again.
    public static func retry(_ title: String = "Try again") -> RecoveryOption {
        RecoveryOption(title, .retry) { try await $0.runSeparately() }
    }

    /// Only dismisses the error.
    public static func dismiss(_ title: String = "Dismiss") -> RecoveryOption {
        RecoveryOption(title, .dismiss) { _ in }
    }

    /// The options that suit the error: to retry, if the error suggests it, and to dismiss.
    @MainActor
    static func suited(to operation: FailedOperation) -> [RecoveryOption] {
        let action = (operation.error as? any AxiomError)?.suggestedAction
        return (action == .retry && operation.canRun ? [.retry()] : []) + [.dismiss()]
    }

    func offered(for operation: FailedOperation) -> RecoveryOption {
        var option = self
        option.operation = operation
        return option
    }

    @MainActor
    func perform() async -> ActionOutcome {
        guard let operation else { return .rejected }
        return await operation.perform { [body] in try await body(operation) }
    }
}

/// A message to the user about an error, with the options to choose from.
public struct ErrorNotification: Sendable, Identifiable {
    /// A number that no other notification of the boundary has.
    public let id: Int
    /// The text to show.
    public let message: String
    /// The error that it reports.
    public let error: any Error
    /// When it was added to the queue.
    public let time: Instant
    /// The options to choose from; see ``ErrorBoundary/choose(_:for:)``.
    public let options: [RecoveryOption]
}
