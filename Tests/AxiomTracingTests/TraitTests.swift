// SPDX-License-Identifier: Apache-2.0

import AxiomInstrumentation
import AxiomLogging
import AxiomTracing
import InMemoryTracing
import Logging
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
}
