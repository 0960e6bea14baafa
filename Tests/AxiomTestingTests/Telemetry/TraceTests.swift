// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTesting
import Testing

@Suite("Traces as trees", .timeLimit(.minutes(10)))
@MainActor
struct TraceTests {
    @Test("The operations that a closure caused are a tree; its result is returned and its error thrown (TL-T1)")
    func tree() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let result = await assertions.expectTrace(
            """
            context CounterContext.sell
              client TillClient.sell
                capability Vault
                state TillClient
            context CounterContext.refund: failure Refused
              client TillClient.refund: failure Refused
            """
        ) {
            await counter.context.send(.sell {})
            await counter.context.send(.refund(CardNumber()))
            return 7
        }
        #expect(result == 7)
        await #expect(throws: Refused(reason: 3)) {
            try await assertions.expectTrace("") { throw Refused(reason: 3) }
        }
    }

    @Test("Parts can be left out, and durations shown")
    func parts() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await assertions.expectTrace(
            """

            context CounterContext.sell [25 ms]
              client TillClient.sell [25 ms]

            """,
            showing: .durations
        ) {
            await counter.context.send(.sell { counter.time.advance(by: .milliseconds(25)) })
        }
    }

    @Test("All traces since the beginning are compared in the order of their start")
    func all() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await counter.context.send(.think { counter.time.advance(by: .milliseconds(1)) })
        counter.telemetry.span("parse") { counter.time.advance(by: .milliseconds(1)) }
        await counter.host.unmount()
        assertions.expectTraces(
            """
            context CounterContext.think
            span parse
            phase ReceiptContext.disappear
            phase CounterContext.disappear
            """
        )
        assertions.checkpoint()
        assertions.expectTraces("")
    }

    @Test("A difference is a unified diff, with the recorded tree to copy")
    func difference() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let texts = await failures {
            await assertions.expectTrace(
                """
                context CounterContext.mail
                  client MailClient.send
                    state MailClient
                """
            ) {
                await counter.context.send(.mail {})
            }
            await assertions.expectTrace("context CounterContext.mail") {}
        }
        #expect(
            texts == [
                """
                The trace differs (- expected, + recorded):
                @@ -1,3 +1,2 @@
                 context CounterContext.mail
                   client MailClient.send
                -    state MailClient
                Recorded:
                context CounterContext.mail
                  client MailClient.send
                """,
                """
                The trace differs (- expected, + recorded):
                @@ -1,1 +1,1 @@
                -context CounterContext.mail
                +
                Nothing was recorded.
                """,
            ]
        )
    }

    @Test("What the closure began and did not await belongs to its tree")
    func began() async throws {
        let counter = try await Counter()
        let context = counter.context
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await assertions.expectTrace(
            """
            context CounterContext.mail
              client MailClient.send
            """
        ) {
            Task { await context.send(.mail { for _ in 0..<1_000 { await Task.yield() } }) }
        }
    }

    @Test("A difference mentions spans that the flight recorder dropped")
    func dropped() async throws {
        let telemetry = try Telemetry(flightRecorder: FlightRecorderOptions(memory: 512 << 10))
        let app = SampleApp(observedBy: telemetry, clock: .live)
        try await app.orchestrator.start()
        let assertions = TelemetryAssertions(telemetry, of: app.orchestrator)
        for _ in 0..<20_000 { telemetry.span("parse") {} }
        let texts = await failures { await assertions.expectTrace("span parse") {} }
        #expect(
            texts.map { $0.replacing(/[0-9]+ spans/, with: "n spans") } == [
                """
                The trace differs (- expected, + recorded):
                @@ -1,1 +1,1 @@
                -span parse
                +
                Nothing was recorded.
                The flight recorder has dropped n spans since the beginning, perhaps of this trace. Give it more memory: \
                FlightRecorderOptions(memory:).
                """
            ]
        )
    }

    @Test("A telemetry without a flight recorder is an error of the test")
    func off() async throws {
        let telemetry = try Telemetry(flightRecorder: .off)
        let app = SampleApp(observedBy: telemetry, clock: .live)
        try await app.orchestrator.start()
        let assertions = TelemetryAssertions(telemetry, of: app.orchestrator)
        #expect(
            await failures { await assertions.expectTrace("") {} } == [
                """
                Expected a trace, but this telemetry records no spans, because its flight recorder is off.
                Make it with the default options: Telemetry(flightRecorder: FlightRecorderOptions()).
                """
            ]
        )
    }
}
#endif
