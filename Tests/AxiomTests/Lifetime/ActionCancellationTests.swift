// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Observation
import Testing

@testable import Axiom

/// A client whose every action waits until its task is cancelled.
private actor PatientClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let journal: Journal<String>

    init(_ scope: borrowing ClientScope, _ journal: Journal<String>) {
        identity = scope.identity
        self.journal = journal
    }

    func process(_ action: PingAction) async throws {
        journal.write("asked")
        do {
            try await Task.sleep(for: .seconds(3_600))
        } catch {
            journal.write("cancelled")
            throw error
        }
    }
}

/// Asks its client as soon as it appears, or when it is sent an action; may own another one like it.
@Observable
private final class PatientContext: Context {
    typealias Input = [String]

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<PingAction>
    @ObservationIgnored let child: PatientContext?
    @ObservationIgnored var strategy = RecoveryStrategy.surface
    @ObservationIgnored var perform: @MainActor (PatientContext) async throws -> Void = {
        try await $0.client.process(.ping)
    }
    @ObservationIgnored var atEnd: @MainActor (PatientContext) async -> Void = { _ in }
    private let asksAtOnce: Bool

    init(_ scope: borrowing ContextScope, _ options: [String]) throws {
        identity = scope.identity
        client = try scope.client(PatientClient.self)
        asksAtOnce = options.contains("at once")
        child = options.contains("child") ? try scope.context(PatientContext.self, []) : nil
    }

    func handle(_ action: PingAction) async throws { try await perform(self) }
    func onAppear() async throws { if asksAtOnce { try await client.process(.ping) } }
    func onDisappear() async throws { await atEnd(self) }
    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

private struct PatientPresentation: Presentation {
    let context: PatientContext
    var body: Int { 0 }
}

@MainActor
@Suite("Actions of a context that disappears", .timeLimit(.minutes(10)))
struct ActionCancellationTests {
    private let journal = Journal<String>()
    private let instrumentation = RecordingInstrumentation()
    private let time = ManualTime()

    private func mounted(
        _ options: [String] = []
    ) async throws -> (PresentationHost<PatientPresentation>, PatientContext) {
        let journal = journal
        let orchestrator = Orchestrator(instrumentation: instrumentation, clock: .manual(time))
        orchestrator.register(PatientClient.self) { PatientClient($0, journal) }
        orchestrator.register(PatientContext.self, recursive: true) { try PatientContext($0, $1) }
        try await orchestrator.start()
        let host = PresentationHost(PatientPresentation.self, orchestrator) { _ in }
        try await host.mount(options)
        return (host, try #require(host.context))
    }

    private var outcomes: [ActionOutcome] {
        instrumentation.events.compactMap {
            if case .actionEnded("PatientContext", _, let outcome, nanoseconds: _) = $0 { outcome } else { nil }
        }
    }

    @Test("An unmount cancels the action in flight, down to the client that it awaits, and send() returns")
    func inFlight() async throws {
        let (host, context) = try await mounted()
        let sent = Task {
            await context.send(.ping)
            return Task.isCancelled
        }
        await journal.wait(for: "asked")
        #expect(context.runtime.operations.count == 1)
        await host.unmount()
        let callerIsCancelled = await sent.value
        #expect(!callerIsCancelled)
        #expect(journal.entries == ["asked", "cancelled"])
        #expect(context.errorBoundary.count == 0)
        #expect(context.runtime.operations.isEmpty)
        #if Instrumented
        #expect(outcomes == [.cancelled])
        #endif
    }

    @Test("An action of a downstream context is cancelled at once, before any onDisappear has returned")
    func downstream() async throws {
        let (host, context) = try await mounted(["child"])
        let child = try #require(context.child)
        let gate = Gate()
        child.atEnd = { _ in await gate.wait() }
        let upper = Task { await context.send(.ping) }
        let lower = Task { await child.send(.ping) }
        await journal.wait { $0.count { $0 == "asked" } == 2 }
        let unmount = Task { await host.unmount() }
        await upper.value
        await lower.value
        #expect(journal.entries.count { $0 == "cancelled" } == 2)
        gate.open()
        await unmount.value
    }

    @Test("A waiting recovery is cancelled with its action")
    func recovery() async throws {
        let (host, context) = try await mounted()
        context.strategy = .retry(attempts: 3, backoff: .constant(.seconds(3_600)))
        context.perform = { _ in throw SampleError("no") }
        let sent = Task { await context.send(.ping) }
        await time.waitForSleepers(1)
        await host.unmount()
        await sent.value
        #expect(context.errorBoundary.history.map(\.resolution) == [.cancelled])
        #if Instrumented
        #expect(outcomes == [.cancelled])
        #endif
    }

    @Test("An onAppear that is under way is cancelled")
    func appearance() async throws {
        let journal = journal
        let orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        orchestrator.register(PatientClient.self) { PatientClient($0, journal) }
        orchestrator.register(PatientContext.self) { try PatientContext($0, $1) }
        try await orchestrator.start()
        let host = PresentationHost(PatientPresentation.self, orchestrator) { _ in }
        let mount = Task { try await host.mount(["at once"]) }
        await journal.wait(for: "asked")
        await host.unmount()
        try await mount.value
        #expect(journal.entries == ["asked", "cancelled"])
    }

    @Test("An action that unmounts its own presentation goes on as a cancelled one; the task that sent it does not")
    func unmountsItself() async throws {
        let (host, context) = try await mounted()
        let journal = journal
        context.perform = { _ in
            await host.unmount()
            journal.write("action \(Task.isCancelled)")
        }
        await context.send(.ping)
        #expect(journal.entries == ["action true"])
        #expect(!Task.isCancelled)
    }

    @Test("Who cancels the task that sends cancels the action, from its first step on where it was cancelled before")
    func callerIsCancelled() async throws {
        let (_, context) = try await mounted()
        let sent = Task { await context.send(.ping) }
        await journal.wait(for: "asked")
        sent.cancel()
        await sent.value
        #expect(journal.entries == ["asked", "cancelled"])
        let journal = journal
        context.perform = { _ in journal.write("from the start: \(Task.isCancelled)") }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await context.send(.ping)
        }
        await late.value
        #expect(journal.entries.last == "from the start: true")
    }

    @Test("A context that has disappeared handles no action: refused, counted and kept in the history, not shown")
    func afterwards() async throws {
        let (host, context) = try await mounted(["child"])
        let child = try #require(context.child)
        await host.unmount()
        for context in [context, child] {
            await context.send(.ping)
            #expect(journal.entries.isEmpty)
            #expect(context.errorBoundary.current == nil)
            #expect(context.errorBoundary.history.map { ErrorCode(of: $0.error) } == [.contextDisappeared])
        }
        #if Instrumented
        #expect(outcomes == [.rejected, .rejected])
        #endif
    }

    @Test("onDisappear can send an action; what is still under way when it returns is cancelled")
    func fromOnDisappear() async throws {
        let (host, context) = try await mounted()
        let journal = journal
        context.perform = { _ in journal.write("saved") }
        context.atEnd = { context in
            await context.send(.ping)
            context.perform = { try await $0.client.process(.ping) }
            Task { await context.send(.ping) }
            await journal.wait(for: "asked")
        }
        await host.unmount()
        await journal.wait(for: "cancelled")
        #expect(journal.entries == ["saved", "asked", "cancelled"])
    }

    @Test("An action cannot be tried again when its context has disappeared")
    func retriedLater() async throws {
        let (host, context) = try await mounted()
        var runs = 0
        context.strategy = .notify(options: [.retry()])
        context.perform = { _ in
            runs += 1
            throw SampleError("no")
        }
        await context.send(.ping)
        await host.unmount()
        let notification = try #require(context.errorBoundary.notifications.first)
        context.strategy = .surface
        await context.errorBoundary.choose(notification.options[0], for: notification)
        #expect(runs == 1)
        #expect(context.errorBoundary.history.map { ErrorCode(of: $0.error) }.last == .contextGone)
    }

    @Test("An action that does not suspend runs on the spot, and leaves nothing behind")
    func synchronous() async throws {
        let (_, context) = try await mounted()
        var handled = 0
        context.perform = { context in
            handled += 1
            #expect(context.runtime.operations.isEmpty)
        }
        for _ in 0..<100 { await context.send(.ping) }
        #expect(handled == 100)
        #expect(context.runtime.operations.isEmpty)
    }
}
