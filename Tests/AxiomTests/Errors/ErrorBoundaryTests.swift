// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Observation
import Testing

@testable import Axiom

@MainActor
@Suite("Error boundaries", .timeLimit(.minutes(10)))
struct ErrorBoundaryTests {
    private func context(_ script: ScriptContext.Script = ScriptContext.Script()) async throws -> ScriptContext {
        let orchestrator = Orchestrator.scripted(script)
        try await orchestrator.start()
        return try orchestrator.makeContext(ScriptContext.self)
    }

    private func failing(_ name: String) -> ScriptAction {
        ScriptAction { try await $0.tally.process(.fail(name)) }
    }

    @Test("What a client throws ends at the context, where it is kept with its time")
    func keeps() async throws {
        let time = ManualTime()
        time.advance(by: .seconds(3))
        let orchestrator = Orchestrator.scripted(clock: .manual(time))
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        await context.send(failing("lost order"))
        let entry = try #require(context.errorBoundary.current)
        #expect(entry.error as? SampleError == SampleError("lost order"))
        #expect(entry.time == time.now)
        #expect(context.errorBoundary.count == 1)
    }

    @Test("The current error is observable: a reader is notified when it appears and when it is removed")
    func observable() async throws {
        let context = try await context()
        let changes = Journal<String>()
        func track(_ label: String) {
            withObservationTracking {
                _ = context.errorBoundary.current
            } onChange: {
                changes.write(label)
            }
        }
        track("came")
        await context.send(failing("x"))
        #expect(changes.entries == ["came"])
        track("went")
        context.errorBoundary.dismiss()
        #expect(changes.entries == ["came", "went"])
        track("nothing")
        context.errorBoundary.dismiss()
        #expect(changes.entries == ["came", "went"])
    }

    @Test("An action that succeeds dismisses the error before it, one that fails or is cancelled does not")
    func dismissedBySuccess() async throws {
        let context = try await context()
        await context.send(failing("x"))
        await context.send(ScriptAction { try await $0.tally.process(.cancel) })
        #expect(context.errorBoundary.current != nil)
        await context.send(ScriptAction { try await $0.tally.process(.add(1)) })
        #expect(context.errorBoundary.current == nil)
        #expect(context.errorBoundary.count == 1)
    }

    @Test("An action that succeeds does not dismiss an error that came while it ran")
    func keepsNewerError() async throws {
        let context = try await context()
        let (begun, gate) = (Gate(), Gate())
        let slow = Task {
            await context.send(
                ScriptAction { _ in
                    begun.open()
                    await gate.wait()
                }
            )
        }
        await begun.wait()
        await context.send(failing("second"))
        gate.open()
        await slow.value
        #expect(context.errorBoundary.current?.error as? SampleError == SampleError("second"))
    }

    @Test("A downstream context is a boundary of its own")
    func ownBoundary() async throws {
        let context = try await context()
        let other = try await self.context()
        await context.send(ScriptAction { _ in await other.send(self.failing("below")) })
        #expect(other.errorBoundary.count == 1)
        #expect(context.errorBoundary.count == 0)
    }
}

/// Where a context operation may fail.
private enum Place: CaseIterable {
    case action
    case appear
    case disappear
    case background
    case foreground
    case observation
}

private enum Ending: CaseIterable {
    case success
    case ownFailure
    case clientFailure
    case cancelled
}

@MainActor
@Suite("Every error is captured once (rule 19)", .timeLimit(.minutes(10)))
struct ErrorCaptureTests {
    /// What happens next in each operation, and the errors that were thrown so far.
    @MainActor
    private final class Fate {
        var ending = Ending.success
        var thrown: [SampleError] = []
        private var number = 0

        /// Throws what fate has decided; each error has a name of its own.
        func strike(_ context: ScriptContext) async throws {
            switch ending {
            case .success: return
            case .cancelled: throw Cancellation.onPurpose
            case .ownFailure: throw next()
            case .clientFailure: try await context.tally.process(.fail(next().description))
            }
        }

        func strikeNow() throws {
            switch ending {
            case .success: return
            case .cancelled: throw Cancellation.onPurpose
            case .ownFailure, .clientFailure: throw next()
            }
        }

        private func next() -> SampleError {
            number += 1
            thrown.append(SampleError("error \(number)"))
            return SampleError("error \(number)")
        }
    }

    private func start(_ fate: Fate, _ instrumentation: RecordingInstrumentation) async throws -> Orchestrator {
        var script = ScriptContext.Script()
        script.onAppear = { try await fate.strike($0) }
        script.onDisappear = { try await fate.strike($0) }
        script.onBackground = { try await fate.strike($0) }
        script.onForeground = { try await fate.strike($0) }
        let orchestrator = Orchestrator.scripted(script, instrumentation: instrumentation)
        try await orchestrator.start()
        return orchestrator
    }

    private func visit(_ place: Place, _ context: ScriptContext, _ orchestrator: Orchestrator, _ fate: Fate) async {
        switch place {
        case .action: await context.send(ScriptAction { try await fate.strike($0) })
        case .appear: await context.runtime.appear()
        case .disappear: await context.runtime.disappear()
        case .background: await context.runtime.enterBackground()
        case .foreground: await context.runtime.enterForeground()
        case .observation:
            let applied = Gate()
            context.observe(context.tally) { _, _ in
                defer { applied.open() }
                try fate.strikeNow()
            }
            await applied.wait()
        }
    }

    @Test("In any sequence of operations, each error thrown is at the boundary and reported once", arguments: 0..<60)
    func exactlyOnce(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (fate, instrumentation) = (Fate(), RecordingInstrumentation())
        let orchestrator = try await start(fate, instrumentation)
        let context = try orchestrator.makeContext(ScriptContext.self)
        // A context appears once and disappears once: these two stand at the ends.
        var places: [Place] = [.appear]
        for _ in 0..<30 {
            places.append([.action, .background, .foreground, .observation].randomElement(using: &random) ?? .action)
        }
        places.append(.disappear)
        for place in places {
            fate.ending = Ending.allCases.randomElement(using: &random) ?? .success
            let before = fate.thrown.count
            await visit(place, context, orchestrator, fate)
            await context.quiet()
            #expect(context.errorBoundary.count == fate.thrown.count)
            if fate.thrown.count > before {
                #expect(context.errorBoundary.current?.error as? SampleError == fate.thrown.last)
            }
        }
        #expect(!fate.thrown.isEmpty)
        #if Instrumented
        let reported = instrumentation.events.count { if case .ended = $0 { true } else { false } }
        #expect(reported == fate.thrown.count)
        #endif
    }

    #if Instrumented
    @Test("Every action that is sent ends with exactly one outcome, cancelled ones too", arguments: 0..<20)
    func everyOutcomeCounted(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (fate, instrumentation) = (Fate(), RecordingInstrumentation())
        let orchestrator = try await start(fate, instrumentation)
        let context = try orchestrator.makeContext(ScriptContext.self)
        var sent: [Ending] = []
        for _ in 0..<50 {
            fate.ending = Ending.allCases.randomElement(using: &random) ?? .success
            sent.append(fate.ending)
            await visit(.action, context, orchestrator, fate)
        }
        let outcomes = instrumentation.events.compactMap { event -> ActionOutcome? in
            if case .actionEnded(_, _, let outcome, _) = event { outcome } else { nil }
        }
        #expect(
            outcomes
                == sent.map { ending -> ActionOutcome in
                    switch ending {
                    case .success: .success
                    case .cancelled: .cancelled
                    case .ownFailure, .clientFailure: .failure
                    }
                }
        )
    }

    @Test("An error is attributed to the client that it left, and to the context when it arose there")
    func origin() async throws {
        let (fate, instrumentation) = (Fate(), RecordingInstrumentation())
        let orchestrator = try await start(fate, instrumentation)
        let context = try orchestrator.makeContext(ScriptContext.self)
        for (ending, origin) in [(Ending.clientFailure, "TallyClient"), (.ownFailure, "ScriptContext")] {
            fate.ending = ending
            await visit(.action, context, orchestrator, fate)
            #expect(context.errorBoundary.current?.origin.name == origin)
            #expect(
                instrumentation.events.last { if case .ended = $0 { true } else { false } }
                    == .ended(code: "SampleError", origin: origin, boundary: "ScriptContext", .nonCritical)
            )
        }
    }

    @Test("An error that the context throws after it handled the client's is the context's own")
    func handledError() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: RecordingInstrumentation())
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        await context.send(
            ScriptAction { context in
                try? await context.tally.process(.fail("handled"))
                throw SampleError("my own")
            }
        )
        #expect(context.errorBoundary.count == 1)
        #expect(context.errorBoundary.current?.origin.kind == .context)
    }

    @Test("An error from a client that a child task asked is attributed to that client")
    func childTask() async throws {
        let orchestrator = Orchestrator.scripted(instrumentation: RecordingInstrumentation())
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        await context.send(
            ScriptAction { context in
                let tally = context.tally
                async let first: Void = tally.process(.add(1))
                async let second: Void = tally.process(.fail("in a child"))
                _ = try await (first, second)
            }
        )
        #expect(context.errorBoundary.current?.origin.name == "TallyClient")
    }
    #endif
}
