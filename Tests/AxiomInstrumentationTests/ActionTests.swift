// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

@Suite("Actions")
@MainActor
struct ActionTests {
    @Test("Each outcome counts on its own, at the client and at the context")
    func outcomes() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        for _ in 0..<3 { await context.send(.sell {}) }
        for _ in 0..<2 { await context.send(.sell { throw Refused() }) }
        await context.send(.sell { throw Cancellation.onPurpose })
        let metrics = app.metrics
        #expect(
            metrics.outcomes(client: "TillClient", "sell") == [
                "success": 3, "failure": 2, "cancelled": 1, "rejected": 0,
            ]
        )
        #expect(
            metrics.outcomes(context: "CounterContext", "sell")
                == ["success": 3, "failure": 2, "cancelled": 1, "rejected": 0]
        )
        #expect(metrics.total("axiom_client_actions_total") == 6)
        #expect(metrics.value("axiom_client_action_duration_seconds", ["client": "TillClient", "action": "sell"]) == 6)
    }

    @Test("A task that is cancelled while its action waits leaves a cancelled action and nothing in flight")
    func cancelledTask() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let app = try await SampleApp.started(clock: clock)
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        let task = Task { await context.send(.sell { try await clock.sleep(for: .seconds(60)) }) }
        await time.waitForSleepers(1)
        #expect(app.metrics.value("axiom_client_actions_in_flight", ["client": "TillClient"]) == 1)
        task.cancel()
        await task.value
        let metrics = app.metrics
        #expect(metrics.outcomes(client: "TillClient", "sell")["cancelled"] == 1)
        #expect(metrics.outcomes(context: "CounterContext", "sell")["cancelled"] == 1)
        #expect(metrics.total("axiom_client_actions_total") == 1)
        #expect(metrics.value("axiom_client_actions_in_flight", ["client": "TillClient"]) == 0)
        #expect(metrics.total("axiom_errors_total") == 0)
    }

    @Test("Every action in flight is shown until it ends")
    func inFlight() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let app = try await SampleApp.started(clock: clock)
        let host = try await app.mountedHost()
        let mail = try #require(host.context).mail
        let tasks = (1...5).map { seconds in
            Task { try await mail.process(.send { try await clock.sleep(for: .seconds(seconds)) }) }
        }
        await time.waitForSleepers(5)
        for (index, task) in tasks.enumerated() {
            #expect(app.metrics.value("axiom_client_actions_in_flight", ["client": "MailClient"]) == Double(5 - index))
            time.advance(by: .seconds(1))
            try await task.value
        }
        #expect(app.metrics.value("axiom_client_actions_in_flight", ["client": "MailClient"]) == 0)
    }

    @Test("An action's label is the name of its case, and no payload reaches the page", .tags(.privacy))
    func labels() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        #expect("\(CounterAction.sell {})".contains(CardNumber.digits), "the test would see a payload if it leaked")
        await context.send(.refund(CardNumber()))
        let metrics = app.metrics
        #expect(metrics.outcomes(client: "TillClient", "refund")["failure"] == 1)
        #expect(metrics.outcomes(context: "CounterContext", "refund")["failure"] == 1)
        #expect(!ExpositionFormat.text.page(metrics).contains(CardNumber.digits))
    }

    @Test("An index outside of the case names is reported as other", arguments: [2, -1, .max, .min])
    func wrongIndex(_ index: Int) async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        let mail = try #require(host.context).mail
        for _ in 0..<2 { try await mail.process(.misnumbered(index: index)) }
        let metrics = app.metrics
        #expect(
            metrics.outcomes(client: "MailClient", "other") == [
                "success": 2, "failure": 0, "cancelled": 0, "rejected": 0,
            ]
        )
        #expect(
            metrics.value("axiom_client_action_duration_seconds", ["client": "MailClient", "action": "other"]) == 2
        )
        #expect(metrics.total("axiom_client_actions_total", where: ["client": "MailClient"]) == 2)
    }

    /// The latency limits of the design, in nanoseconds, which are bounds of a full page.
    nonisolated static let bounds: [Int64] = [
        1_000, 10_000, 100_000, 1_000_000, 5_000_000, 8_000_000, 10_000_000, 16_000_000, 50_000_000, 300_000_000,
        1_000_000_000,
    ]

    @Test("A duration of exactly a bound is within it, one nanosecond more is not", arguments: bounds.indices)
    func buckets(_ index: Int) async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        let bound = Self.bounds[index]
        await context.send(.sell { time.advance(by: .nanoseconds(bound)) })
        await context.send(.sell { time.advance(by: .nanoseconds(bound + 1)) })
        let shown = app.metrics.family("axiom_client_action_duration_seconds")?.definition.buckets.upperBounds ?? []
        let place = try #require(shown.firstIndex(of: Double(bound) / 1e9))
        var expected = [UInt64](repeating: 0, count: shown.count + 1)
        expected[place] = 1
        expected[place + 1] = 1
        for (name, labels) in [
            ("axiom_client_action_duration_seconds", ["client": "TillClient", "action": "sell"]),
            ("axiom_context_action_duration_seconds", ["context": "CounterContext", "action": "sell"]),
        ] {
            let histogram = try #require(app.metrics.series(name, labels)?.histogram)
            #expect(histogram.counts == expected, "\(name)")
            #expect(histogram.sum == Double(2 * bound + 1) / 1e9, "\(name)")
        }
    }

    @Test("Failures and cancelled actions are timed as well")
    func durationOfFailures() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        await context.send(
            .mail {
                time.advance(by: .seconds(2))
                throw Refused()
            }
        )
        await context.send(
            .mail {
                time.advance(by: .seconds(3))
                throw Cancellation.onPurpose
            }
        )
        let series = app.metrics.series(
            "axiom_client_action_duration_seconds",
            ["client": "MailClient", "action": "send"]
        )
        #expect(series?.histogram?.sum == 5)
    }
}

extension Tag {
    @Tag static var privacy: Self
}
#endif
