// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTesting
import Testing

@Suite("Exhaustive expectations of telemetry", .timeLimit(.minutes(10)))
@MainActor
struct ExhaustivenessTests {
    private static let unlisted = """
        Recorded, but not expected with these counts:
            .action("refund", of: CounterContext.self, .failure, count: 1),
            .action("sell", of: TillClient.self, .success, count: 2),
            .error("Refused", in: TillClient.self, count: 1)
        Expect them, or leave their kinds out of exhaustive.
        """

    /// Sells twice and refunds once; expects one sale and the refund of the client.
    private func sell(_ counter: Counter, _ assertions: TelemetryAssertions) async {
        await counter.context.send(.sell {})
        assertions.expect(
            .action("sell", of: CounterContext.self),
            .action("sell", of: TillClient.self)
        )
        await counter.context.send(.sell {})
        await counter.context.send(.refund(CardNumber()))
        assertions.expect(
            .action("sell", of: CounterContext.self, count: 2),
            .action("refund", of: TillClient.self, .failure),
            .state(of: TillClient.self, count: 2)
        )
    }

    @Test("Records that are not listed, or occurred again, are failures in the form of the missing source (TL-T1)")
    func finish() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator, exhaustive: .standard)
        await sell(counter, assertions)
        #expect(await failures { assertions.finish() } == [Self.unlisted])
    }

    @Test("A checkpoint reports them too, and starts again")
    func checkpoint() async throws {
        let counter = try await Counter()
        let kinds: RecordKinds = [.actions, .errors]
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator, exhaustive: kinds)
        await sell(counter, assertions)
        #expect(await failures { assertions.checkpoint() } == [Self.unlisted])
        assertions.checkpoint()
        await counter.context.send(.sell {})
        assertions.expect(.action("sell", of: CounterContext.self), .action("sell", of: TillClient.self))
        assertions.finish()
    }

    @Test("Without a call of finish they are reported when the assertions are released")
    func released() async throws {
        let counter = try await Counter()
        let texts = await failures {
            let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator, exhaustive: .standard)
            await sell(counter, assertions)
        }
        #expect(texts == [Self.unlisted])
    }

    @Test("A failed expectation lists its records, so that one mistake is reported once")
    func failed() async throws {
        let counter = try await Counter()
        let texts = await failures {
            let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator, exhaustive: .actions)
            await counter.context.send(.think {})
            assertions.expect(.action("think", of: CounterContext.self, count: 2))
            assertions.finish()
        }
        #expect(
            texts == [
                """
                Expected .action("think", of: CounterContext.self, .success, count: 2), found 1.
                Nothing else of this kind was recorded.
                """
            ]
        )
    }

    @Test("Only the chosen kinds must be listed; by default none")
    func kinds() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator, exhaustive: .errors)
        let lax = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await counter.context.send(.sell {})
        assertions.finish()
        lax.finish()
    }
}
#endif
