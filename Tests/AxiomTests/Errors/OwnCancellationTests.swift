// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

@MainActor
@Suite("A cancellation that nobody asked for", .timeLimit(.minutes(10)))
struct OwnCancellationTests {
    private let events = RecordingInstrumentation()

    private func context(_ script: ScriptContext.Script = ScriptContext.Script()) async throws -> ScriptContext {
        let orchestrator = Orchestrator.scripted(script, instrumentation: events)
        try await orchestrator.start()
        return try orchestrator.makeContext(ScriptContext.self)
    }

    /// Awaits a task that something else cancelled, as an operation of a library does.
    private nonisolated static func awaitCancelledTask() async throws {
        let inner = Task { try await TimeSource.manual(ManualTime()).sleep(for: .seconds(1)) }
        inner.cancel()
        try await inner.value
    }

    private var outcomes: [ActionOutcome] {
        events.events.compactMap { if case .actionEnded(_, _, let outcome, _) = $0 { outcome } else { nil } }
    }

    /// What an observer sees: nothing without the trait.
    private func observed(_ outcomes: [ActionOutcome]) -> [ActionOutcome] { InstrumentedTrait.isOn ? outcomes : [] }

    @Test("It is an error of the action: the boundary keeps it, and the action has failed")
    func isKept() async throws {
        let context = try await context()
        await context.send(ScriptAction { _ in try await Self.awaitCancelledTask() })
        #expect(context.errorBoundary.current?.error is CancellationError)
        #expect(context.errorBoundary.count == 1)
        #expect(outcomes == observed([.failure]))
    }

    @Test("A request throws it")
    func isThrown() async throws {
        let context = try await context()
        await #expect(throws: CancellationError.self) {
            try await context.request(ScriptAction { _ in try await Self.awaitCancelledTask() })
        }
        #expect(context.errorBoundary.count == 1)
    }

    @Test("The strategy of the context recovers from it")
    func isRecovered() async throws {
        let context = try await RecoveringApp().context { _ in .retry(attempts: 2, backoff: .none) }
        let flaky = Flaky(failures: 1, CancellationError())
        await context.send(flaky.action)
        #expect(flaky.runs == 2)
        #expect(context.errorBoundary.recoveredCount == 1)
    }

    @Test("It is an error of an appearance, too")
    func appearance() async throws {
        var script = ScriptContext.Script()
        script.onAppear = { _ in try await Self.awaitCancelledTask() }
        let context = try await context(script)
        await context.runtime.appear()
        #expect(context.errorBoundary.count == 1)
    }

    @Test("A cancellation of the caller stays one, also if the operation threw the error of its inner task")
    func ofTheCaller() async throws {
        let context = try await context()
        let sent = Task {
            await context.send(
                ScriptAction { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await Self.awaitCancelledTask()
                }
            )
        }
        await sent.value
        #expect(context.errorBoundary.count == 0)
        #expect(outcomes == observed([.cancelled]))
    }

    @Test("A context that disappears cancels its action, which is no error")
    func ofTheContext() async throws {
        let (begun, time) = (Gate(), TimeSource.manual(ManualTime()))
        let context = try await context()
        let runtime = context.runtime
        await runtime.appear()
        let sent = Task {
            await context.send(
                ScriptAction { _ in
                    begun.open()
                    try await time.sleep(for: .seconds(1))
                }
            )
        }
        await begun.wait()
        await runtime.disappear()
        await sent.value
        #expect(context.errorBoundary.count == 0)
        #expect(outcomes == observed([.cancelled]))
    }
}
