// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomUI
import Observation
import Testing

/// An action that runs a closure.
struct ShopAction: Action {
    let run: @MainActor @Sendable () async throws -> Void

    init(_ run: @escaping @MainActor @Sendable () async throws -> Void) { self.run = run }
}

/// A context whose recovery a test chooses.
@MainActor
@Observable
final class ShopContext: Context {
    struct Input: Sendable {
        var recovery: @MainActor @Sendable (any Error) -> RecoveryStrategy = { _ in .surface }
        var appear: @MainActor @Sendable () async throws -> Void = {}
        var failure: (any Error)?
    }

    @ObservationIgnored nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let input: Input
    var greeting = "welcome"

    init(_ scope: borrowing ContextScope, _ input: Input) throws {
        if let failure = input.failure { throw failure }
        identity = scope.identity
        self.input = input
    }

    func onAppear() async throws { try await input.appear() }
    func handle(_ action: ShopAction) async throws { try await action.run() }
    func recovery(for error: any Error) -> RecoveryStrategy { input.recovery(error) }
}

/// Shows the greeting and the errors of its context.
struct ShopPage: Presentation {
    let context: ShopContext

    var body: String {
        let errors = BoundaryPresentation(context.errorBoundary)
        return errors.isEmpty ? context.greeting : errors.text(width: 60)
    }
}

/// Fails a given number of times.
@MainActor
final class Flaky {
    private(set) var runs = 0
    private let failures: Int
    private let error: any Error

    init(failures: Int, _ error: any Error) {
        self.failures = failures
        self.error = error
    }

    var action: ShopAction {
        ShopAction {
            self.runs += 1
            if self.runs <= self.failures { throw self.error }
        }
    }
}

/// A started application with one page.
@MainActor
struct ShopApp {
    let orchestrator = Orchestrator(limits: .endless)

    func start() async throws {
        orchestrator.register(ShopContext.self) { try ShopContext($0, $1) }
        try await orchestrator.start()
    }

    func context(
        _ recovery: @escaping @MainActor @Sendable (any Error) -> RecoveryStrategy = { _ in .surface }
    ) throws -> ShopContext {
        try orchestrator.makeContext(ShopContext.self, ShopContext.Input(recovery: recovery))
    }
}

/// The outputs that a host rendered.
@MainActor
final class Outputs<Output> {
    private(set) var all: [Output] = []

    func append(_ output: Output) { all.append(output) }
}

/// Waits until a condition on the main actor is true; other tasks run between the checks.
@MainActor
func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
    while !condition() {
        // The limit of time of the test has passed.
        guard !Task.isCancelled else {
            Issue.record("The condition did not become true", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
