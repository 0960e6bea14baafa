// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomLogging
import AxiomTestSupport
import AxiomTracing
import InMemoryLogging
import InMemoryTracing
import Logging
import Observation
import Testing
import Tracing

/// What holds with the trait `Instrumented` and without it.
@Suite("Tracers and log records in every build", .timeLimit(.minutes(10)))
struct TraitTests {
    @Test("Spans are exported only if the build records them")
    func export() throws {
        let telemetry = try Telemetry()
        let tracer = InMemoryTracer()
        let isExported = try telemetry.exportSpans(to: tracer)
        #expect(isExported == telemetry.readings.isInstrumented)
        telemetry.span("work") { #expect((ServiceContext.current != nil) == isExported) }
        #expect(tracer.finishedSpans.map(\.operationName) == (isExported ? ["work"] : []))
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("The default is the tracer of the calling task or of the process; without one nothing is exported")
    func defaultTracer() throws {
        let (telemetry, tracer) = (try Telemetry(), InMemoryTracer())
        #expect(try !telemetry.exportSpans())
        let isExported = try withTracer(tracer) { try telemetry.exportSpans() }
        telemetry.span("work") {}
        #expect(tracer.finishedSpans.count == (isExported ? 1 : 0))
        #expect(isExported == telemetry.readings.isInstrumented)
    }

    @Test("Records are kept without a flight recorder, and then without a trace")
    func withoutRecorder() throws {
        let telemetry = try Telemetry(flightRecorder: .off)
        let logger = Logger(label: "shop") { TraceLogHandler(label: $0, telemetry) }
        telemetry.span("work") { logger.info("text") }
        #expect(telemetry.readings.logRecords.all.map(\.message) == ["text"])
        #expect(telemetry.readings.logRecords.all.first?.trace == nil)
        #expect(try !telemetry.exportSpans(to: InMemoryTracer()))
    }

    @Test("Each error that ends is logged once, with its code and its path, at a context and at a request (LOG-02)")
    @MainActor
    func loggedErrors() async throws {
        let memory = InMemoryLogHandler()
        let logger = Logger(label: "shop") { _ in memory }
        let orchestrator = Orchestrator(instrumentation: LoggingInstrumentation(logger))
        orchestrator.register(BrokenClient.self) { BrokenClient($0) }
        orchestrator.register(BrokenContext.self) { try BrokenContext($0) }
        let endpoint = orchestrator.register(BrokenHandler.self) { try BrokenHandler($0) }
        try await orchestrator.start()
        await (try orchestrator.makeContext(BrokenContext.self)).send(.run)
        await #expect(throws: Broken.self) { try await endpoint.request(.run) }
        await orchestrator.shutdown()
        let records = memory.entries
        #expect(records.map(\.level) == [.error, .error])
        #expect(records.allSatisfy { $0.metadata["code"] == "TEST_BROKEN_001" && $0.metadata["user"] == nil })
        let paths: [Logger.Metadata.Value?] = [["BrokenClient", "BrokenContext"], ["BrokenClient", "BrokenHandler"]]
        #expect(records.map { $0.metadata["path"] } == paths)
    }
}

private struct Broken: AxiomError {
    let code: ErrorCode = "TEST_BROKEN_001"
    let message = "The supplier does not answer."
    let recoverySuggestion = "Wait."
}

private enum BrokenAction: Action {
    case run
}

private actor BrokenClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing ClientScope) { identity = scope.identity }
    func process(_ action: BrokenAction) async throws { throw Broken() }
}

@Observable
private final class BrokenContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored private let client: any StatelessClient<BrokenAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(BrokenClient.self)
    }

    func handle(_ action: BrokenAction) async throws { try await client.process(action) }
}

private final class BrokenHandler: RequestHandler {
    let identity: ComponentIdentity
    private let client: any StatelessClient<BrokenAction>

    init(_ scope: borrowing HandlerScope) throws {
        identity = scope.identity
        client = try scope.client(BrokenClient.self)
    }

    func handle(_ request: BrokenAction, in work: borrowing WorkScope) async throws {
        try await client.process(request)
    }
}
