// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Observation
public import Testing

extension TestOrchestrator {
    /// Replaces a client by a double in the state `initial`, on the time of the application. Call it before the start.
    public func client<C: Client & Component>(
        _ type: C.Type,
        _ initial: C.StateType
    ) -> TestClient<C.StateType, C.ActionType> {
        let double = TestClient<C.StateType, C.ActionType>(initial, time: time, reporter: failures.reporter)
        orchestrator.override(type, with: double)
        return double
    }

    /// Replaces a capability by a simulated one, or registers it. Call it before the start.
    ///
    /// - Parameters:
    ///   - exposed: The type under which it is resolved, such as `(any Network).self`. The start throws if the double does
    ///     not conform.
    ///   - type: The double.
    ///   - requirement: Whether the application can start without it.
    /// - Returns: What controls it.
    @discardableResult
    public func simulate<Exposed: Sendable, Double: SimulatedCapability>(
        _ exposed: Exposed.Type,
        as type: Double.Type,
        requirement: CapabilityRequirement = .required
    ) -> Simulation {
        let simulation = Simulation(Double.componentName, clock, failures.reporter) { [weak orchestrator] in
            try await orchestrator?.capabilityChanged(type, $0)
        }
        orchestrator.override(exposed, requirement: requirement) { try Double($0, simulation) }
        return simulation
    }
}

/// A context without a feature of its own, whose errors are recovered by a strategy under test.
@MainActor
@Observable
public final class RecoveryContext: Context {
    /// Decides how to recover from an error.
    public typealias Input = @MainActor @Sendable (any Error) -> RecoveryStrategy

    /// The identity from the scope.
    public nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let decide: Input

    init(_ scope: borrowing ContextScope, _ decide: @escaping Input) {
        (identity, self.decide) = (scope.identity, decide)
    }

    /// As the test decides.
    public func recovery(for error: any Error) -> RecoveryStrategy { decide(error) }
}

extension TestOrchestrator {
    /// Mounts a context whose errors are recovered by a strategy, for tests of the strategy. Call it before the start.
    ///
    /// ```swift
    /// let context = try await app.context(recoveryStrategy: .retry(attempts: 3))
    /// await context.simulateError(NetworkError.timeout("GET /", after: .seconds(3)))
    /// await app.advance(by: .seconds(10))
    /// #expect(context.errorCount == 3)
    /// ```
    /// - Throws: As ``context(_:_:sourceLocation:)``.
    public func context(
        recoveryStrategy: RecoveryStrategy,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> TestContext<RecoveryContext> {
        orchestrator.register(RecoveryContext.self) { RecoveryContext($0, $1) }
        return try await context(RecoveryContext.self, { _ in recoveryStrategy }, sourceLocation: location)
    }
}
