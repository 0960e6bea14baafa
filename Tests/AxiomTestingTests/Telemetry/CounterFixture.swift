// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTesting
import Testing

/// The texts of the issues that `body` records, in their order, and the error that it throws. They do not fail the test.
@MainActor
func issueTexts(_ body: @MainActor () async throws -> Void) async -> [String] {
    let texts = IssueTexts()
    try? await withKnownIssue(isIntermittent: true) {
        try await body()
    } matching: { issue in
        texts.add(issue.comments.first?.rawValue ?? "\(issue)")
        return true
    }
    return texts.all
}

/// Issues may be recorded on any thread.
final class IssueTexts: Sendable {
    private let texts = Lock<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

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
