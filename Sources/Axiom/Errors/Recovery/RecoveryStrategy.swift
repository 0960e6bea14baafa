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
/// There are three kinds of step, which ``otherwise(_:)`` puts in an order. A *remedy* tries to make good what failed:
/// when it succeeds, the error is reported as recovered and ends nowhere. An *ending* counts the error, once, and says
/// how it is shown. ``propagate`` hands it to the boundary above, which then decides. After the last step an error that
/// is left ends as ``surface`` says.
public struct RecoveryStrategy: Sendable, CustomStringConvertible {
    struct Remedy: Sendable {
        /// What a person is told when it worked; the empty text stands for the error's own message.
        var notice: String?
        let name: String
        let body: @MainActor @Sendable (FailedOperation) async throws -> Void
    }

    enum Ending: Sendable {
        case surface
        case silent
        case notification(message: String?, options: [RecoveryOption])
        case errorState([RecoveryOption], enter: @MainActor @Sendable (any Error) async throws -> Void)
    }

    enum Step: Sendable {
        case remedy(Remedy)
        /// Something that is done about the error, and settles nothing.
        case effect(String, @MainActor @Sendable (FailedOperation) async throws -> Void)
        case ending(Ending)
        case propagation
    }

    private(set) var steps: [Step]

    init(steps: [Step]) {
        self.steps = steps
    }

    /// A remedy of the application's own.
    ///
    /// - Parameters:
    ///   - name: What metrics call it; a few fixed names, never a value.
    ///   - recover: Makes good what failed, for example by running the operation again. When it returns, the error is
    ///     recovered; when it throws, the next step follows, and a `CancellationError` calls the whole operation off.
    public init(_ name: String, _ recover: @escaping @MainActor @Sendable (FailedOperation) async throws -> Void) {
        steps = [.remedy(Remedy(name: name, body: recover))]
    }

    /// This strategy, and `next` for an error that it leaves. What follows an ending is never reached.
    public func otherwise(_ next: RecoveryStrategy) -> RecoveryStrategy {
        RecoveryStrategy(steps: steps + next.steps)
    }

    /// This strategy, and a notification at the boundary when one of its remedies worked.
    ///
    /// - Parameter message: What to tell; the error's own message unless given.
    public func notifying(_ message: String? = nil) -> RecoveryStrategy {
        RecoveryStrategy(
            steps: steps.map { step in
                guard case .remedy(var remedy) = step else { return step }
                remedy.notice = message ?? ""
                return .remedy(remedy)
            }
        )
    }

    /// The steps in their order, as in `retry, otherwise fallback, otherwise surface`.
    public var description: String {
        steps.map(\.name).joined(separator: ", otherwise ")
    }
}

extension RecoveryStrategy.Step {
    var name: String {
        switch self {
        case .remedy(let remedy): remedy.name
        case .effect(let name, _): name
        case .ending(.surface): "surface"
        case .ending(.silent): "silent"
        case .ending(.notification): "notify"
        case .ending(.errorState): "error_state"
        case .propagation: "propagate"
        }
    }
}
