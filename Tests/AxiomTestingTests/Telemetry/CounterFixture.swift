// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTesting
import Testing

/// A mounted counter, whose telemetry a test examines.
@MainActor
struct Counter {
    let time: ManualTime
    let app: SampleApp
    let host: PresentationHost<CounterView>
    let context: CounterContext

    init(budgets: [BudgetRule] = [], breakers: [BreakerRule] = []) async throws {
        time = ManualTime()
        app = try await SampleApp.started(clock: .manual(time), breakers: breakers, budgets: budgets)
        host = try await app.mountedHost()
        context = try #require(host.context)
        // The context observes its client from here on.
        await app.orchestrator.quiet()
    }

    var telemetry: Telemetry { app.telemetry }
    var orchestrator: Orchestrator { app.orchestrator }
}
