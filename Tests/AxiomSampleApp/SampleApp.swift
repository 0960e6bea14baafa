// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
package import AxiomInstrumentation
package import AxiomMetrics
internal import AxiomResilience

/// A shop with one component of each kind, observed by its own telemetry.
@MainActor
package struct SampleApp {
    package nonisolated let telemetry: Telemetry
    package let orchestrator: Orchestrator

    /// Registers the components without starting the application.
    package init(
        clock: TimeSource = .live,
        leakThreshold: Duration = .seconds(30),
        breakers: [BreakerRule] = [],
        regressions: RegressionOptions? = nil,
        budgets: [BudgetRule] = [],
        onBudgetViolation: @escaping @Sendable (BudgetViolation) -> Void = { _ in },
        detail: DetailLevel = .full
    ) throws {
        let telemetry = try Telemetry(
            revision: "abc123",
            leakThreshold: leakThreshold,
            breakers: breakers,
            regressions: regressions,
            budgets: budgets,
            onBudgetViolation: onBudgetViolation,
            detail: detail,
            clock: clock
        )
        self.init(observedBy: telemetry, clock: clock)
    }

    /// Registers the components without starting the application. The telemetry may have observed another one before.
    package init(observedBy telemetry: Telemetry, clock: TimeSource) {
        self.telemetry = telemetry
        orchestrator = Orchestrator(instrumentation: telemetry, clock: clock, limits: .endless)
        orchestrator.register(Vault.self) { Vault($0) }
        orchestrator.register(TillClient.self) { try TillClient($0) }
        orchestrator.register(MailClient.self) { MailClient($0) }
        orchestrator.register(CounterContext.self) { try CounterContext($0) }
        orchestrator.register(ReceiptContext.self) { ReceiptContext($0) }
    }

    /// A running application.
    package static func started(
        clock: TimeSource = .live,
        leakThreshold: Duration = .seconds(30),
        breakers: [BreakerRule] = [],
        regressions: RegressionOptions? = nil,
        budgets: [BudgetRule] = [],
        onBudgetViolation: @escaping @Sendable (BudgetViolation) -> Void = { _ in }
    ) async throws -> SampleApp {
        let app = try SampleApp(
            clock: clock,
            leakThreshold: leakThreshold,
            breakers: breakers,
            regressions: regressions,
            budgets: budgets,
            onBudgetViolation: onBudgetViolation
        )
        try await app.orchestrator.start()
        return app
    }

    /// The registry of the metrics.
    package nonisolated var registry: Registry {
        telemetry.registry
    }

    /// The present metrics.
    package nonisolated var metrics: Snapshot {
        registry.collect()
    }

    /// A host of the view that discards its output.
    package func makeHost() -> PresentationHost<CounterView> {
        PresentationHost(CounterView.self, orchestrator) { _ in }
    }

    /// Mounts the view.
    package func mountedHost() async throws -> PresentationHost<CounterView> {
        let host = makeHost()
        try await host.mount()
        return host
    }

    /// One action of each outcome, one error of a context, the background and the foreground, and at last an unmount.
    package func runOnce() async throws {
        let host = try await mountedHost()
        guard let context = host.context else { return }
        await context.send(.sell {})
        await context.send(.refund(CardNumber()))
        await context.send(.sell { throw Cancellation.onPurpose })
        await context.send(.think { throw PaperJam() })
        await context.send(.mail {})
        await orchestrator.enterBackground()
        await orchestrator.enterForeground()
        await host.unmount()
    }
}
