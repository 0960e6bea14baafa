// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomSampleApp
import AxiomTesting
import Testing

@Suite("Expectations of telemetry", .timeLimit(.minutes(10)))
@MainActor
struct ExpectationTests {
    @Test("What was recorded since the beginning meets its expectation, and what was before does not count (TL-T1)")
    func met() async throws {
        let counter = try await Counter()
        await counter.context.send(.sell {})
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await counter.context.send(.sell {})
        await counter.context.send(.sell {})
        await counter.context.send(.refund(CardNumber()))
        await counter.context.send(.think { throw PaperJam() })
        assertions.expect(
            .action("sell", of: CounterContext.self, count: 2),
            .action("sell", of: TillClient.self, .success, count: 2, within: .clientAction),
            .action("refund", of: TillClient.self, .failure),
            .action("sell", of: TillClient.self, .cancelled, count: 0),
            .state(of: TillClient.self, count: .atLeast(1)),
            .error("Refused", in: TillClient.self),
            .error("SHOP_PRINTER_001", in: CounterContext.self),
            .error(PaperJam().code, in: CounterContext.self),
            .error("PaperJam", in: CounterContext.self, count: .atMost(1)),
            .created(CounterContext.self, count: 0)
        )
        await counter.host.unmount()
        assertions.expect(
            .destroyed(CounterView.self),
            .phase(.disappear, of: CounterContext.self),
            .phase(.appear, of: CounterContext.self, count: 0)
        )
    }

    @Test("A failure of an action names the expectation, what was found and the nearest record, at the caller's line")
    func action() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        #expect(
            await failures { assertions.expect(.action("sell", of: TillClient.self)) } == [
                """
                Expected .action("sell", of: TillClient.self, .success, count: 1), found 0.
                Nothing was recorded.
                """
            ]
        )
        await counter.context.send(.refund(CardNumber()))
        await counter.context.send(.mail {})
        #expect(
            await failures { assertions.expect(.action("refund", of: TillClient.self, .success, count: .atLeast(2))) }
                == [
                    """
                    Expected .action("refund", of: TillClient.self, .success, count: .atLeast(2)), found 0.
                    Nearest: .action("refund", of: TillClient.self, .failure, count: 1)
                    """
                ]
        )
        let line = Lock(0)
        withKnownIssue {
            assertions.expect(.action("refund", of: TillClient.self))
        } matching: { issue in
            line.withLock { $0 = issue.sourceLocation?.line ?? 0 }
            return true
        }
        #expect(line.withLock { $0 } == #line - 5)
    }

    @Test("An unknown action, component, budget, signal or breaker is named with the nearest known one")
    func unknown() async throws {
        struct TilClient {}
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let texts = await failures {
            assertions.expect(
                .action("sel", of: TillClient.self),
                .action("sell", of: TilClient.self, count: 0),
                .action("sell", of: ReceiptContext.self),
                .action("sell", of: TillClient.self, count: 0, within: "client_acton"),
                .action("sell", of: TillClient.self, count: 0, within: .contextAction),
                .breaker("TillClients", from: .closed, to: .open, count: 0),
                .signal("axiom_deadlock_total"),
                .gauge("axiom_deadlock_total", is: 0)
            )
        }
        #expect(
            texts == [
                """
                Expected .action("sel", of: TillClient.self, .success, count: 1), but TillClient has no action sel.
                Nearest: sell. Its actions: sell, refund, stamp, close.
                """,
                """
                Expected .action("sell", of: TilClient.self, .success, count: 0), but TilClient is not registered with \
                the orchestrator of this telemetry.
                Nearest: TillClient.
                """,
                """
                Expected .action("sell", of: ReceiptContext.self, .success, count: 1), but ReceiptContext has no actions, \
                or none of its instances was created.
                """,
                """
                Expected .action("sell", of: TillClient.self, .success, count: 0, within: "client_acton"), found no \
                budget client_acton.
                Nearest: client_action.
                """,
                """
                Expected .action("sell", of: TillClient.self, .success, count: 0, within: "context_action"), found no \
                operation of TillClient that the budget context_action limits.
                Actions have the budgets client_action and context_action.
                """,
                """
                Expected .breaker("TillClients", from: .closed, to: .open, count: 0), but there is no circuit breaker \
                TillClients.
                Nearest: TillClient.
                """,
                """
                Expected .signal("axiom_deadlock_total", [:], count: 1), but no module has the signal \
                axiom_deadlock_total.
                Nearest: axiom_deadlocks_total.
                """,
                """
                Expected .gauge("axiom_deadlock_total", [:], is: 0.0), but no module has the signal \
                axiom_deadlock_total.
                Nearest: axiom_deadlocks_total.
                """,
            ]
        )
    }

    @Test("Only the slow actions of the case count against its budget, with the worst duration")
    func budget() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        await counter.context.send(.sell {})
        await counter.context.send(.sell { counter.time.advance(by: .milliseconds(12)) })
        await counter.context.send(.sell { counter.time.advance(by: .milliseconds(40)) })
        await counter.context.send(.refund(CardNumber()))
        let texts = await failures {
            assertions.expect(
                .action("sell", of: TillClient.self, count: 3, within: .clientAction),
                .action("refund", of: TillClient.self, .failure, within: .clientAction)
            )
        }
        #expect(
            texts == [
                """
                Expected .action("sell", of: TillClient.self, .success, count: 3, within: "client_action"), found 2 of 3 \
                beyond the limit of 8 ms, the longest of 40 ms.
                """
            ]
        )
        assertions.checkpoint()
        await counter.context.send(.sell {})
        assertions.expect(.action("sell", of: TillClient.self, within: .clientAction))
    }

    @Test("States, errors, recoveries, breakers, lifetimes and phases have the same form of failure")
    func others() async throws {
        let rules = CircuitBreakerConfiguration(failureRateThreshold: nil, consecutiveFailures: 2)
        let counter = try await Counter(breakers: [.client(TillClient.self, rules)])
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        for _ in 0..<3 { await counter.context.send(.refund(CardNumber())) }
        await counter.context.send(.mail {})
        assertions.expect(
            .breaker(of: TillClient.self, from: .closed, to: .open),
            .action("refund", of: TillClient.self, .rejected)
        )
        let texts = await failures {
            assertions.expect(
                .state(of: TillClient.self),
                .error("Refuse", in: TillClient.self, count: 2),
                .recovery("Refused", in: TillClient.self),
                .breaker(of: TillClient.self, from: .open, to: .halfOpen),
                .created(MailClient.self),
                .phase(.disappear, of: CounterContext.self)
            )
        }
        #expect(
            texts == [
                """
                Expected .state(of: TillClient.self, count: 1), found 0.
                Nothing else of this kind was recorded.
                """,
                """
                Expected .error("Refuse", in: TillClient.self, count: 2), found 0.
                Nearest: .error("Refused", in: TillClient.self, count: 2)
                """,
                """
                Expected .recovery("Refused", in: TillClient.self, .recovered, count: 1), found 0.
                Nearest: .error("Refused", in: TillClient.self, count: 2)
                """,
                """
                Expected .breaker("TillClient", from: .open, to: .halfOpen, count: 1), found 0.
                Nearest: .breaker("TillClient", from: .closed, to: .open, count: 1)
                """,
                """
                Expected .created(MailClient.self, count: 1), found 0.
                Nothing else of this kind was recorded.
                """,
                """
                Expected .phase(.disappear, of: CounterContext.self, count: 1), found 0.
                Nothing else of this kind was recorded.
                """,
            ]
        )
    }

    @Test("Signals of modules are added up over labels that are not given, and gauges are compared by value")
    func signals() async throws {
        let counter = try await Counter()
        let family = SignalFamily("shop_orders_total", .counter, help: "Orders.", labels: ["store", "outcome"])
        let depth = SignalFamily("shop_queue", .gauge, help: "Waiting orders.", labels: ["store"])
        let good = try #require(counter.telemetry.signal(family, ["north", "success"]))
        let bad = try #require(counter.telemetry.signal(family, ["north", "failure"]))
        let queue = try #require(counter.telemetry.signal(depth, ["north"]))
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        good.add(2)
        bad.add(1)
        queue.set(4)
        assertions.expect(
            .signal("shop_orders_total", ["store": "north"], count: 3),
            .signal("shop_orders_total", ["outcome": "failure"]),
            .signal("shop_none_total", count: 0),
            .gauge("shop_queue", ["store": "north"], is: 4)
        )
        let texts = await failures {
            assertions.expect(
                .signal("shop_orders_total", ["store": "south"], count: 2),
                .gauge("shop_queue", ["store": "south"], is: 4),
                .gauge("shop_queue", is: 5)
            )
        }
        #expect(
            texts == [
                """
                Expected .signal("shop_orders_total", ["store": "south"], count: 2), found 0.
                Nearest: .signal("shop_orders_total", ["store": "north", "outcome": "success"], count: 2)
                """,
                """
                Expected .gauge("shop_queue", ["store": "south"], is: 4.0), but there is no gauge with these labels.
                Nearest: ["store": "north"]
                """,
                #"Expected .gauge("shop_queue", [:], is: 5.0), found 4.0."#,
            ]
        )
    }

    @Test("What an action causes later is recorded when the application has settled, each time")
    func settled() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator, exhaustive: .all)
        for _ in 0..<100 {
            await counter.context.send(.sell {})
            await assertions.settle()
            assertions.expect(
                .action("sell", of: CounterContext.self),
                .action("sell", of: TillClient.self),
                .state(of: TillClient.self),
                .observation(of: TillClient.self),
                .phase(.render, of: CounterContext.self)
            )
            assertions.checkpoint()
        }
    }

    @Test("States that were replaced before a subscriber took them are counted (TL-T1)")
    func coalesced() async throws {
        let counter = try await Counter()
        let till = counter.context.till
        var states = till.stateStream.makeAsyncIterator()
        _ = try await states.next()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        for _ in 0..<11 { try await till.process(.sell {}) }
        #expect(try await states.next()?.sales == 11)
        assertions.expect(.coalesced(of: TillClient.self, count: .atLeast(10)))
    }

    @Test("An application that does not settle is named with its operations")
    func unsettled() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let (stream, gate) = AsyncStream.makeStream(of: Never.self)
        let context = counter.context
        let action = Task { await context.send(.think { for await _ in stream {} }) }
        #expect(
            await failures { await assertions.settle(upTo: .milliseconds(30)) } == [
                """
                The application was not quiet within 0.03 seconds of real time:
                    CounterContext: 1 operations and 0 observations are under way.
                Does it wait for a clock, or for something outside of the test?
                """
            ]
        )
        gate.finish()
        await assertions.settle()
        assertions.expect(.action("think", of: CounterContext.self))
        await action.value
    }

    @Test("A negative count proves nothing, so it is a failure with its remedy")
    func negative() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let texts = await failures {
            assertions.expect(
                .action("sell", of: TillClient.self, count: .atLeast(2 - 5)),
                .state(of: TillClient.self, count: .atMost(-1)),
                .created(CounterContext.self, count: -1),
                .signal("shop_none_total", count: .atLeast(-1))
            )
        }
        let reason = ", but no count is negative. Give 0 or more."
        #expect(
            texts == [
                #"Expected .action("sell", of: TillClient.self, .success, count: .atLeast(-3))\#(reason)"#,
                "Expected .state(of: TillClient.self, count: .atMost(-1))\(reason)",
                "Expected .created(CounterContext.self, count: -1)\(reason)",
                #"Expected .signal("shop_none_total", [:], count: .atLeast(-1))\#(reason)"#,
            ]
        )
        for count in [ExpectedCount.exactly(0), .atLeast(0), .atMost(0)] {
            assertions.expect(.state(of: TillClient.self, count: count))
        }
    }

    @Test("A telemetry without an orchestrator is an error of the test")
    func noOrchestrator() async throws {
        let assertions = TelemetryAssertions(try Telemetry(), of: Orchestrator())
        #expect(
            await failures { assertions.expect(.action("sell", of: TillClient.self, count: 0)) } == [
                """
                Expected .action("sell", of: TillClient.self, .success, count: 0), but no orchestrator reports to this \
                telemetry.
                Make it with Orchestrator(instrumentation: telemetry), and start it before the assertion.
                """
            ]
        )
    }
}
#endif
