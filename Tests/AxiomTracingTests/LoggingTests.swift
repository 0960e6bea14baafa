// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomLogging
import AxiomResilience
import AxiomTestSupport
import InMemoryLogging
import Logging
import Observation
import Testing

private enum TillAction: Action {
    case pay(Int)
    case fail
    case cancel

    func validate() throws(ValidationError) {
        if case .pay(let cents) = self, cents < 0 { throw .actionRefused("the amount is negative") }
    }
}

private actor TillClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let time: ManualTime

    init(_ scope: borrowing ClientScope, _ time: ManualTime) {
        identity = scope.identity
        self.time = time
    }

    func process(_ action: TillAction) async throws {
        time.advance(by: .milliseconds(250))
        switch action {
        case .pay: break
        case .fail: throw Outage()
        case .cancel: throw Cancellation.onPurpose
        }
    }
}

@Observable
private final class TillContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let till: any StatelessClient<TillAction>
    @ObservationIgnored var strategy = RecoveryStrategy.surface

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        till = try scope.client(TillClient.self)
    }

    func handle(_ action: TillAction) async throws {
        // The context is asked first; the client refuses what the context lets through.
        try await till.process(action)
    }
    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

@Suite("Logging of actions and errors", .timeLimit(.minutes(10)))
@MainActor
struct LoggingTests {
    private let memory = InMemoryLogHandler()
    private let time = ManualTime()

    private func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in memory }
        logger.logLevel = level
        return logger
    }

    private func context(_ logger: Logger) async throws -> (TillContext, Orchestrator, Telemetry) {
        let telemetry = try Telemetry(onBudgetViolation: { _ in }, clock: .manual(time))
        let log = LoggingInstrumentation(logger, telemetry)
        let orchestrator = Orchestrator(instrumentation: Instrumentations(telemetry, log), clock: .manual(time))
        orchestrator.register(TillClient.self) { [time] in TillClient($0, time) }
        orchestrator.register(TillContext.self) { try TillContext($0) }
        orchestrator.use(LoggingMiddleware(logger, telemetry, clock: .manual(time)))
        try await orchestrator.start()
        return (try orchestrator.makeContext(TillContext.self), orchestrator, telemetry)
    }

    @Test(
        "An action is logged with its component, case, duration, outcome and trace, and never with its payload (MID-02, LOG-01)"
    )
    func action() async throws {
        let (context, orchestrator, telemetry) = try await context(logger())
        await context.send(.pay(4_711))
        let entry = try #require(memory.entries.first)
        #expect(memory.entries.count == 1)
        #expect(entry.level == .debug)
        #expect(entry.message == "TillClient.pay success")
        #expect(entry.metadata["component"] == "TillClient" && entry.metadata["caller"] == "TillContext")
        #expect(entry.metadata["action"] == "pay" && entry.metadata["outcome"] == "success")
        #expect(entry.metadata["seconds"]?.description == "0.25")
        let span = try #require(telemetry.activity(latest: 10).first)
        #expect(entry.metadata["trace_id"]?.description == span.trace.description)
        #expect(!"\(entry)".contains("4711"))
        await orchestrator.shutdown()
    }

    @Test("Each outcome has its level, and a level that is not logged writes nothing (LOG-01)")
    func levels() async throws {
        let (context, orchestrator, _) = try await context(logger(.debug))
        await context.send(.fail)
        await context.send(.cancel)
        let actions = memory.entries.filter { $0.metadata["outcome"] != nil && $0.metadata["seconds"] != nil }
        #expect(actions.map(\.level) == [.info, .debug])
        #expect(actions.map { $0.metadata["code"]?.description ?? "-" } == ["TEST_OUTAGE_001", "CancellationError"])
        await orchestrator.shutdown()
        memory.clear()
        let (quiet, other, _) = try await self.context(logger(.error))
        await quiet.send(.pay(1))
        #expect(memory.entries.isEmpty)
        await other.shutdown()
    }

    @Test("Every error that ends is logged exactly once, with its path and its trace (LOG-02)")
    func errors() async throws {
        let (context, orchestrator, telemetry) = try await context(logger())
        for _ in 0..<100 { await context.send(.fail) }
        let errors = memory.entries.filter { $0.metadata["boundary"] != nil }
        #expect(errors.count == 100 && telemetry.errors.report.count == 100)
        let entry = try #require(errors.first)
        #expect(entry.level == .error && entry.message == "The supplier does not answer.")
        #expect(entry.metadata["code"] == "TEST_OUTAGE_001")
        #expect(entry.metadata["component"] == "TillClient" && entry.metadata["boundary"] == "TillContext")
        #expect(entry.metadata["path"] == .array(["TillClient", "TillContext"]))
        #expect(entry.metadata["trace_id"] != nil && entry.metadata["span_id"] != nil)
        await orchestrator.shutdown()
    }

    @Test("A record has the context of the error (LOG-02, ERM-02)")
    func errorContext() async throws {
        let (context, orchestrator, telemetry) = try await context(logger())
        await context.send(.fail)
        telemetry.provideErrorContext { ErrorContext(user: "u7", session: "s9", attributes: ["screen": "cart"]) }
        await context.send(.fail)
        context.strategy = .ignore
        await context.send(.fail)
        let records = memory.entries.filter { $0.metadata["boundary"] != nil }.map(\.metadata)
        #expect(records.map { $0["user"] } == [nil, "u7", "u7"])
        #expect(records.map { $0["session"] } == [nil, "s9", "s9"])
        #expect(records.map { $0["attributes"] } == [nil, ["screen": "cart"], ["screen": "cart"]])
        #expect(records.allSatisfy { $0["trace_id"] != nil && $0["code"] == "TEST_OUTAGE_001" })
        await orchestrator.shutdown()
    }

    @Test("An error from which a recovery succeeded has a record of the recovery instead (LOG-02)")
    func recovered() async throws {
        let (context, orchestrator, _) = try await context(logger())
        context.strategy = .ignore
        await context.send(.fail)
        let entries = memory.entries.filter { $0.metadata["boundary"] != nil }
        #expect(entries.map(\.level) == [.info])
        #expect(entries.first?.metadata["outcome"] == "recovered")
        await orchestrator.shutdown()
    }
}
#endif
