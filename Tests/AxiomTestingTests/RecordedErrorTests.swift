// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTesting
import Observation
import Testing

#if Instrumented
@MainActor
@Suite("Recordings of actions that succeeded while an error was settled at their context", .timeLimit(.minutes(10)))
struct RecordedErrorTests {
    /// What the recorded test does after the application is made, line by line.
    private func lines(of scenario: RecordedScenario) -> [String] {
        let text = scenario.test(named: "A test", application: "TestOrchestrator.tray()")
        return text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { $0.hasPrefix("await ") }
    }

    @Test("A replay passes if the error came from a downstream context and ended at the one that was sent the action")
    func ofDownstream() async throws {
        let app = TestOrchestrator.tray()
        let tray = try await app.context(TrayContext.self)
        try app.telemetry.recordScenario()
        await tray.send(.stir)
        let scenario = try app.telemetry.endScenario()
        await tray.finish()
        #expect(scenario.steps.map(\.outcome) == [.success])
        #expect(
            lines(of: scenario) == [
                "await tray.send(.stir)", "await tray.expectNoError()", "await tray.finish()",
            ]
        )
        let replayed = try await TestOrchestrator.tray().context(TrayContext.self)
        await replayed.send(.stir)
        await replayed.expectNoError()
        await replayed.finish()
    }
}
#endif

struct SpoonError: Error {}

enum SpoonAction: Action {
    case stir
}

/// Passes its errors on.
@MainActor
final class SpoonContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ action: SpoonAction) async throws { throw SpoonError() }
    func recovery(for error: any Error) -> RecoveryStrategy { .propagate }
}

/// Passes its actions to a context downstream, and succeeds.
@MainActor
@Observable
final class TrayContext: Context {
    nonisolated let identity: ComponentIdentity
    let spoon: SpoonContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        spoon = try scope.context(SpoonContext.self)
    }

    func handle(_ action: SpoonAction) async throws { await spoon.send(action) }
    func recovery(for error: any Error) -> RecoveryStrategy { .surface }
}

extension TestOrchestrator {
    @MainActor
    fileprivate static func tray() -> TestOrchestrator {
        TestOrchestrator(exhaustivity: .off) {
            $0.register(SpoonContext.self) { SpoonContext($0) }
            $0.register(TrayContext.self) { try TrayContext($0) }
        }
    }
}
