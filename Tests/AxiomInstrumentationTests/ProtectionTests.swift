// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomSampleApp
import AxiomTestSupport
import Testing

/// What protects an application does not depend on the trait `Instrumented`. This suite has no condition.
@Suite("Protection with the trait Instrumented on and off", .timeLimit(.minutes(10)))
@MainActor
struct ProtectionTests {
    private struct Down: Error {}

    private final class Count: Sendable {
        private let count = Lock(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    @Test("A rule's breaker keeps calls from a dead upstream exactly as a breaker of its own would")
    func deadUpstream() async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let time = ManualTime()
            let configuration = CircuitBreakerConfiguration(
                consecutiveFailures: 1 + generator.index(below: 5),
                openDuration: .milliseconds(100 + generator.index(below: 2_000)),
                openDurationJitter: 0
            )
            let app = try await SampleApp.started(
                clock: .manual(time),
                breakers: [.client(MailClient.self, configuration)]
            )
            let host = try await app.mountedHost()
            let mail = try #require(host.context?.mail)
            let model = try CircuitBreaker(name: "model", configuration, clock: .manual(time))
            let (reached, expected) = (Count(), Count())
            for _ in 0..<200 {
                time.advance(by: .milliseconds(generator.index(below: 200)))
                let result = await Task {
                    try await mail.process(
                        .send {
                            reached.add()
                            throw Down()
                        }
                    )
                }.result
                #expect(throws: (any Error).self) { try result.get() }
                try? await model.run {
                    expected.add()
                    throw Down()
                }
            }
            #expect(reached.value == expected.value, "seed \(seed)")
            #expect(reached.value < 200, "seed \(seed)")
            #expect(app.telemetry.breakers.contains { $0.name == "MailClient" && $0.counts().rejected > 0 })
            await app.orchestrator.shutdown()
        }
    }

    @Test("The breaker of a context refuses its actions")
    func context() async throws {
        let rule = BreakerRule.context(CounterContext.self, CircuitBreakerConfiguration(consecutiveFailures: 1))
        let app = try await SampleApp.started(clock: .manual(ManualTime()), breakers: [rule])
        let context = try #require(try await app.mountedHost().context)
        let handled = Count()
        for _ in 0..<3 {
            await context.send(
                .think {
                    handled.add()
                    throw Down()
                }
            )
        }
        #expect(handled.value == 1)
        #expect(context.errorBoundary.current?.error is CircuitError)
        await app.orchestrator.shutdown()
    }
}
