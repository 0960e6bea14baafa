// SPDX-License-Identifier: Apache-2.0

/// Something that a person can choose to do about an error.
public struct RecoveryOption: Sendable {
    /// What it does, as on a button.
    public let title: String
    /// What it suggests doing, for whoever draws it.
    public let action: ErrorAction
    private let body: @MainActor @Sendable (FailedOperation) async throws -> Void
    /// Set when the option is offered for an operation that failed.
    private var operation: FailedOperation?

    /// Makes an option.
    ///
    /// - Parameter perform: Is run when the option is chosen. What it throws is settled at the boundary.
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
        RecoveryOption(title, .retry) { try await $0.runAnew() }
    }

    /// Does nothing but take the error away.
    public static func dismiss(_ title: String = "Dismiss") -> RecoveryOption {
        RecoveryOption(title, .dismiss) { _ in }
    }

    /// What suits the error: to try again where that is what it suggests, and to dismiss it.
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
    func perform() async {
        guard let operation else { return }
        await operation.perform { [body] in try await body(operation) }
    }
}
