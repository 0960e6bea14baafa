// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import Foundation
import Observation
import Testing

@testable import shop_oracle

@Suite("The ledger", .timeLimit(.minutes(10)))
@MainActor
struct LedgerTests {
    private final class Member: Sendable {}
    private struct Broken: Error {}
    private struct Refused: Refusal {}

    private let ledger = Ledger(
        clients: ["CartClient"],
        contexts: ["CartContext", "CheckoutContext"],
        capabilities: ["SQLiteStorage"]
    )
    private let time = ManualTime()

    /// - Parameter errors: The errors of each new context.
    private func orchestrator(errors: [any Error] = []) async throws -> Orchestrator {
        let orchestrator = Orchestrator(clock: .manual(time))
        orchestrator.register(ScriptedContext.self) {
            let context = ScriptedContext($0)
            context.errors = errors
            return context
        }
        orchestrator.register(OuterContext.self) { try OuterContext($0) }
        try await orchestrator.start()
        return orchestrator
    }

    /// Sends an action whose attempts throw `errors`.
    private func act(_ errors: [(any Error)?], _ strategy: RecoveryStrategy) async throws {
        let context = try await orchestrator().makeContext(ScriptedContext.self)
        (context.errors, context.strategy) = (errors, strategy)
        await ActionRecorder(ledger).send(.play, to: context)
        #expect(context.errors.isEmpty)
    }

    private static let retry = RecoveryStrategy.retry(attempts: 2, backoff: .constant(.zero))
    private static let fallback = RecoveryStrategy("fallback") { _ in }

    /// A request that the server answered with a fault.
    private func fault(_ request: UInt64) -> NetworkError {
        _ = ledger.faults.serve(request)
        return NetworkError.server("GET /", status: 503).caused(by: NumberedRequest(number: request))
    }

    private func outcomes(of context: String = "CartContext") -> Outcomes? {
        ledger.report.contexts[context]
    }

    @Test("A call of a client is in flight until it ends, and its error gives its outcome")
    func calls() async {
        let errors: [(any Error)?] = [nil, Broken(), Cancellation.onPurpose, Refused()]
        for error in errors {
            let client = ScriptedClient { [ledger] in
                #expect(await ledger.report.inFlight.clients == ["CartClient": 1])
                if let error { throw error }
            }
            let counted = CountedStatelessClient(client, "CartClient", ledger.clients)
            try? await counted.process(.play)
        }
        #expect(ledger.report.clients == ["CartClient": Outcomes(success: 1, failure: 1, cancelled: 1, rejected: 1)])
        #expect(ledger.report.inFlight.clients == ["CartClient": 0])
    }

    @Test("An error that ends at a boundary is counted once, and a cancellation is not an error")
    func errors() async throws {
        try await act([Broken()], .surface)
        try await act([Cancellation.onPurpose], .surface)
        try await act([nil], .surface)
        #expect(ledger.report.errors == 1)
        #expect(outcomes() == Outcomes(success: 1, failure: 1, cancelled: 1))
        #expect(ledger.report.inFlight.contexts == ["CartContext": 0, "CheckoutContext": 0])
    }

    @Test("An action with several attempts is one action, and the last attempt gives its outcome")
    func attempts() async throws {
        try await act([fault(1), nil], Self.retry)
        try await act([fault(2), fault(3)], Self.retry)
        try await act([fault(4), Refused()], Self.retry.otherwise(Self.fallback))
        try await act([fault(5), Cancellation.onPurpose], Self.retry)
        let report = ledger.report
        #expect(outcomes() == Outcomes(success: 2, failure: 1, cancelled: 1))
        #expect((report.errors, report.recovered, report.cancelled) == (1, 4, 0))
        #expect(report.rejections == RefusalTable.Counts(recovered: 1))
        #expect(report.inFlight.faults == 0)
    }

    @Test("A request that fails before the server serves its fault has one fate too")
    func early() {
        let faults = FaultTable()
        for (request, fate) in [(1, .recovered), (2, .shown), (3, .cancelled)] as [(UInt64, Fate)] {
            faults.settle(request, fate)
            faults.settle(request, .cancelled)
            #expect(faults.serve(request))
        }
        #expect(faults.counts == FaultTable.Counts(served: 3, recovered: 1, shown: 1, cancelled: 1))
    }

    @Test("An action that is cancelled while it waits for its retry is cancelled, and so is its error")
    func cancelledRetry() async throws {
        for error in [fault(1), Refused()] as [any Error] {
            let action = Task {
                try await act([error], .retry(attempts: 2, backoff: .constant(.seconds(60))))
            }
            await time.waitForSleepers(1)
            #expect(ledger.report.inFlight.contexts["CartContext"] == 1)
            action.cancel()
            try await action.value
        }
        let report = ledger.report
        #expect(outcomes() == Outcomes(cancelled: 2))
        #expect((report.errors, report.recovered, report.cancelled) == (0, 0, 1))
        #expect(report.rejections == RefusalTable.Counts(cancelled: 1))
    }

    @Test("Errors of refused calls are counted separately: they have no fault")
    func rejections() async throws {
        try await act([Refused()], .surface)
        try await act([Refused()], Self.fallback)
        try await act([fault(1)], .surface)
        let report = ledger.report
        #expect(report.rejections == RefusalTable.Counts(shown: 1, recovered: 1))
        #expect(report.upstream.faults == report.errors + report.recovered + report.cancelled)
        #expect(outcomes() == Outcomes(success: 1, failure: 2))
    }

    @Test("An action that a context sends to a downstream context is an action of its own")
    func nested() async throws {
        let orchestrator = try await orchestrator()
        let outer = try orchestrator.makeContext(OuterContext.self)
        let recorder = ActionRecorder(ledger)
        outer.errors = [nil, Broken()]
        outer.inner.errors = [Broken(), nil]
        for _ in 0..<2 { await recorder.send(.play, to: outer) }
        #expect(outcomes(of: "CheckoutContext") == Outcomes(success: 1, failure: 1))
        #expect(outcomes(of: "CartContext") == Outcomes(success: 1, failure: 1))
        #expect(ledger.report.errors == 2)
    }

    @Test("The error of a phase of a context's life has a fate, and belongs to no action")
    func phases() async throws {
        let orchestrator = try await orchestrator(errors: [fault(1)])
        let host = PresentationHost(ScriptedView.self, orchestrator) { _ in }
        try await host.mount()
        #expect(ledger.report.inFlight.faults == 1)
        ActionRecorder(ledger).settle(try #require(host.context))
        await host.unmount()
        #expect(ledger.report.errors == 1)
        #expect(ledger.report.inFlight.faults == 0)
        #expect(outcomes() == Outcomes())
        await orchestrator.shutdown()
    }

    @Test("An error that a boundary has dropped from its history counts as shown")
    func droppedErrors() async throws {
        let outer = try await orchestrator().makeContext(OuterContext.self)
        let failures = ErrorBoundary.historyLimit + 10
        (outer.errors, outer.repetitions) = ([nil], failures)
        outer.inner.errors = (0..<failures).map { _ in Broken() }
        await ActionRecorder(ledger).send(.play, to: outer)
        #expect(outer.inner.errorBoundary.historyDropped == 10)
        #expect(ledger.report.errors == failures)
        #expect(outcomes() == Outcomes(failure: failures))
        #expect(outcomes(of: "CheckoutContext") == Outcomes(success: 1))
    }

    @Test("An action that is sent without a recorder runs and is not counted")
    func uncounted() async throws {
        let context = try await orchestrator().makeContext(ScriptedContext.self)
        context.errors = [nil]
        await CountedContext(context).send(.play)
        #expect(context.errors.isEmpty)
        #expect(outcomes() == Outcomes())
    }

    @Test("Released components are counted as created and not as alive, whatever their number")
    func lifetimes() {
        let tracker = LifetimeTracker(names: ["CartContext"])
        var kept: [Member] = []
        for index in 0..<1_000 {
            let member = Member()
            tracker.created("CartContext", member)
            if index % 100 == 0 { kept.append(member) }
        }
        #expect(tracker.reading == ["CartContext": LifetimeTracker.Counts(created: 1_000, alive: 10)])
        kept.removeAll()
        #expect(tracker.reading == ["CartContext": LifetimeTracker.Counts(created: 1_000, alive: 0)])
    }

    @Test("The JSON has the names that its readers use")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(try ledger.report.json())) as? [String: Any]
        let clients = object?["clients"] as? [String: [String: Int]]
        #expect(clients == ["CartClient": ["success": 0, "failure": 0, "cancelled": 0, "rejected": 0]])
        #expect(object?["created"] as? [String: Int] == ["CartContext": 0, "CheckoutContext": 0])
        #expect(object?["alive"] as? [String: Int] == ["CartContext": 0, "CheckoutContext": 0])
        #expect(object?["upstream"] as? [String: Int] == ["requests": 0, "stormy_requests": 0, "faults": 0])
        #expect(object?["rejections"] as? [String: Int] == ["shown": 0, "recovered": 0, "cancelled": 0])
        #expect((object?["contexts"] as? [String: Any])?.keys.sorted() == ["CartContext", "CheckoutContext"])
        let singletons = object?["singletons"] as? [String: [String: Int]]
        #expect(singletons?["SQLiteStorage"] == ["created": 0, "alive": 0])
        #expect(object?["in_flight"] != nil)
        for key in ["errors", "recovered", "cancelled"] { #expect(object?[key] as? Int == 0) }
    }
}

private enum Play: Action { case play }

/// Runs a closure for each call.
private actor ScriptedClient: StatelessClient {
    private let work: @Sendable () async throws -> Void

    init(_ work: @escaping @Sendable () async throws -> Void) {
        self.work = work
    }

    func process(_ action: Play) async throws { try await work() }
}

/// Each attempt of an action throws the next error of a list, or succeeds for nil.
@MainActor
@Observable
private final class ScriptedContext: Context {
    nonisolated static let componentName = "CartContext"

    nonisolated let identity: ComponentIdentity
    var errors: [(any Error)?] = []
    var strategy = RecoveryStrategy.surface

    init(_ scope: borrowing ContextScope) {
        identity = scope.identity
    }

    func onAppear() async throws {
        if !errors.isEmpty, let error = errors.removeFirst() { throw error }
    }

    func handle(_ action: Play) async throws {
        if let error = errors.removeFirst() { throw error }
    }

    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

private struct ScriptedView: Presentation {
    let context: ScriptedContext
    var body: String { "" }
}

/// Sends its actions on to a downstream context, and then throws the next error of a list.
@MainActor
@Observable
private final class OuterContext: Context {
    nonisolated static let componentName = "CheckoutContext"

    nonisolated let identity: ComponentIdentity
    let inner: ScriptedContext
    var errors: [(any Error)?] = []
    /// How often each action is sent on.
    var repetitions = 1

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        inner = try scope.context(ScriptedContext.self)
    }

    func handle(_ action: Play) async throws {
        for _ in 0..<repetitions { await CountedContext(inner).send(.play) }
        if let error = errors.removeFirst() { throw error }
    }
}
