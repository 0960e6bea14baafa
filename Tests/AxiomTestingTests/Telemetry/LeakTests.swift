// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTesting
import Testing

@Suite("Leaks, destruction and budgets as assertions", .timeLimit(.minutes(10)))
@MainActor
struct LeakTests {
    @Test("A weak variable whose object ends is accepted, one whose object lives is named (TL-T1)")
    func destroyed() async throws {
        var strong: PaperBox? = PaperBox()
        weak let box = strong
        #expect(
            await failures { await expectDestroyed(weak: box) } == [
                """
                Expected the PaperBox to be destroyed, but it is alive.
                Find the task, closure or property that keeps it, and check that the variable is weak.
                """
            ]
        )
        withExtendedLifetime(strong) {}
        strong = nil
        await expectDestroyed(weak: box)
    }

    @Test("The operations of a context that was unmounted are waited for, then it ends")
    func leaving() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        weak let context = host.context
        Task { [context = host.context] in
            await context?.send(.think { for _ in 0..<1_000 { await Task.yield() } })
        }
        await host.unmount()
        await expectDestroyed(weak: context)
    }

    @Test("A client ends with its orchestrator")
    func client() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        weak let client: AnyObject? = host.context.map { $0.till as AnyObject }
        #expect(client != nil)
        await host.unmount()
        await app.orchestrator.shutdown()
        await expectDestroyed(weak: client)
    }

    @Test("An actor that lives is named when a thread had 2 s to release it")
    func livingActor() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        weak let client: AnyObject? = host.context.map { $0.till as AnyObject }
        var texts: [String] = []
        let duration = await ContinuousClock().measure {
            texts = await failures { await expectDestroyed(weak: client) }
        }
        #expect(
            texts == [
                """
                Expected the TillClient to be destroyed, but it is alive.
                Find the task, closure or property that keeps it, and check that the variable is weak.
                """
            ]
        )
        #expect(duration >= .seconds(2))
        await host.unmount()
    }

    #if Instrumented
    @Test("A thousand mounts leave no context, and the contexts that are kept are counted (TL-T13)")
    func leaks() async throws {
        let app = try await SampleApp.started()
        let assertions = TelemetryAssertions(app.telemetry, of: app.orchestrator)
        try await assertions.expectNoLeaks(of: CounterContext.self, cycles: 1_000) {
            let host = try await app.mountedHost()
            await host.unmount()
        }
        var kept: [CounterContext?] = []
        let texts = await failures {
            try await assertions.expectNoLeaks(of: CounterContext.self, cycles: 3) {
                let host = try await app.mountedHost()
                if kept.count < 2 { kept.append(host.context) }
                await host.unmount()
            }
        }
        let numbers = kept.compactMap { $0?.identity.id }.map(String.init).joined(separator: ", ")
        #expect(
            texts == [
                """
                Expected no leaks of CounterContext, but 2 of 3 that 3 cycles created are alive.
                Their numbers: \(numbers). Find the task, closure or property that keeps them.
                """
            ]
        )
    }

    @Test("Operations that the cycles began and did not await are waited for")
    func operations() async throws {
        let app = try await SampleApp.started()
        let assertions = TelemetryAssertions(app.telemetry, of: app.orchestrator)
        try await assertions.expectNoLeaks(of: CounterContext.self, cycles: 10) {
            let host = try await app.mountedHost()
            let context = host.context
            Task { await context?.send(.think { for _ in 0..<1_000 { await Task.yield() } }) }
            await host.unmount()
        }
    }

    @Test("Cycles that prove nothing are failures")
    func nothing() async throws {
        struct CounterContex {}
        let app = try await SampleApp.started()
        let assertions = TelemetryAssertions(app.telemetry, of: app.orchestrator)
        let texts = await failures {
            await assertions.expectNoLeaks(of: CounterContext.self, cycles: 5) {}
            await assertions.expectNoLeaks(of: CounterContex.self, cycles: 1) {}
            await assertions.expectNoLeaks(of: CounterContext.self, cycles: 0) {}
        }
        #expect(
            texts == [
                """
                Expected no leaks of CounterContext, but 5 cycles created none, which proves nothing.
                Create and release one in the closure.
                """,
                """
                Expected no leaks of CounterContex, but CounterContex is not registered with the orchestrator of this \
                telemetry.
                Nearest: CounterContext.
                """,
                "Expected no leaks of CounterContext in 0 cycles. Run 1 or more.",
            ]
        )
    }

    @Test("Budgets that are met pass; others are named with their counts and the worst action")
    func budgets() async throws {
        let counter = try await Counter(budgets: [.confirm(.clientAction)])
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await counter.context.send(.sell {})
        assertions.expectWithinBudgets()
        assertions.expectWithinBudgets(.clientAction, .contextCreation)
        await counter.context.send(.sell { counter.time.advance(by: .milliseconds(30)) })
        let texts = await failures {
            assertions.expectWithinBudgets()
            assertions.expectWithinBudgets("client_acton", .navigation)
        }
        #expect(
            texts == [
                """
                Expected the budget client_action to be met, found 1 of 2 operations beyond the limit; judged: p95.
                    TillClient: 1 of 2 beyond 8 ms, the worst sell 30 ms
                """,
                """
                Expected the budget client_acton to be met, but there is no such budget.
                Nearest: client_action.
                """,
                """
                Expected the budget navigation to be met, but it was not measured: A transition from one route to another.
                Perform the operation before the assertion, or do not name the budget.
                """,
            ]
        )
    }

    @Test("Without a confirmed budget, and with a rule for nothing, there is a failure")
    func rules() async throws {
        let counter = try await Counter()
        let none = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let rule = BudgetRule.override(.clientAction, for: "TilClient", limit: .milliseconds(5))
        let other = try await Counter(budgets: [rule])
        let misspelt = TelemetryAssertions(other.telemetry, of: other.orchestrator)
        let texts = await failures {
            none.expectWithinBudgets()
            misspelt.expectWithinBudgets(.contextCreation)
        }
        #expect(
            texts == [
                """
                Expected operations within their budgets, but the application confirmed no budget.
                Name the budgets, or confirm them: Telemetry(budgets: [.confirm("client_action")]).
                """,
                """
                The budget rule client_action for TilClient names nothing that is registered. Correct or remove it.
                """,
            ]
        )
    }
    #else
    @Test("Without the trait every assertion fails and says so")
    func withoutTrait() async throws {
        let app = try await SampleApp.started()
        let texts = await failures {
            let assertions = TelemetryAssertions(app.telemetry, of: app.orchestrator, exhaustive: .standard)
            assertions.expect(.action("sell", of: TillClient.self, count: 0))
            await assertions.expectTrace("") {}
            assertions.expectTraces("")
            await assertions.expectPage("Golden/counter.prom")
            await assertions.expectNoLeaks(of: CounterContext.self, cycles: 1) {}
            assertions.expectWithinBudgets()
            assertions.checkpoint()
            assertions.finish()
        }
        let subjects = [
            ".action(\"sell\", of: TillClient.self, .success, count: 0)", "a trace", "a trace",
            "the page Golden/counter.prom", "no leaks of CounterContext", "operations within their budgets",
            "no other records", "no other records",
        ]
        #expect(
            texts
                == subjects.map { subject in
                    """
                    Expected \(subject), but the package trait Instrumented of Axiom is off, so nothing is recorded.
                    Build the tests with the trait, which is on by default.
                    """
                }
        )
    }
    #endif
}

private final class PaperBox {}
