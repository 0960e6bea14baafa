// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase

/// An action that runs a closure.
struct RecoveringAction: Action {
    let run: @MainActor @Sendable (RecoveringContext) async throws -> Void

    init(_ run: @escaping @MainActor @Sendable (RecoveringContext) async throws -> Void) {
        self.run = run
    }
}

/// A context whose way to recover a test chooses.
@MainActor
final class RecoveringContext: Context {
    nonisolated let identity: ComponentIdentity
    let tally: any Client<TallyState, TallyAction>
    var choose: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        tally = try scope.client(TallyClient.self)
    }

    func handle(_ action: RecoveringAction) async throws { try await action.run(self) }
    func recovery(for error: any Error) -> RecoveryStrategy { choose(error) }
}

/// An application with one ``RecoveringContext``, under a clock that a test moves.
@MainActor
struct RecoveringApp {
    let time = ManualTime()
    let observer = EndingObserver()
    let orchestrator: Orchestrator

    init(_ register: (Orchestrator) -> Void = { _ in }) {
        orchestrator = Orchestrator(instrumentation: observer, clock: .manual(time))
        orchestrator.register(TallyClient.self) { TallyClient($0) }
        orchestrator.register(RecoveringContext.self) { try RecoveringContext($0) }
        register(orchestrator)
    }

    /// Starts the application and makes a context with this recovery.
    func context(_ choose: @escaping @MainActor (any Error) -> RecoveryStrategy) async throws -> RecoveringContext {
        try await orchestrator.start()
        let context = try orchestrator.makeContext(RecoveringContext.self)
        context.choose = choose
        return context
    }
}

/// An operation that fails a given number of times, and counts its runs.
@MainActor
final class Flaky {
    private(set) var runs = 0
    private let failures: Int
    private let error: any Error

    init(failures: Int, _ error: any Error = SampleError("flaky")) {
        self.failures = failures
        self.error = error
    }

    func run() throws {
        runs += 1
        if runs <= failures { throw error }
    }

    var action: RecoveringAction { RecoveringAction { _ in try self.run() } }
}

/// An error of a severity that a test chooses.
struct GradedError: AxiomError, Hashable {
    var severity: ErrorSeverity
    var isRecoverable = true
    var suggestedAction = ErrorAction.dismiss
    var code: ErrorCode { "TEST_GRADED_001" }
    var message: String { "Something happened." }
    var recoverySuggestion: String { "Do something." }
}
