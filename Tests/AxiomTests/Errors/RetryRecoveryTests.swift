// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

@MainActor
@Suite("Recovery by retry", .timeLimit(.minutes(10)))
struct RetryRecoveryTests {
    @Test(
        "The operation is really run again: recovered when it succeeds within the attempts, else ended once",
        arguments: 0..<6
    )
    func reruns(failures: Int) async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(attempts: 4, backoff: .none) }
        let flaky = Flaky(failures: failures)
        await context.send(flaky.action)
        #expect(flaky.runs == min(failures + 1, 4))
        let boundary = context.errorBoundary
        #expect(boundary.count == (failures >= 4 ? 1 : 0))
        #expect(boundary.recoveredCount == ((1..<4).contains(failures) ? 1 : 0))
        #expect((boundary.current == nil) == (failures < 4))
        #if Instrumented
        #expect(app.observer.ended.entries.count == boundary.count)
        let reports = app.observer.recoveries.entries
        #expect(reports.map(\.outcome) == (failures == 0 ? [] : [failures < 4 ? .recovered : .failed]))
        #expect(reports.allSatisfy { $0.strategy == "retry" && $0.attempts == min(failures, 3) })
        #expect(reports.allSatisfy { $0.boundary.name == "RecoveringContext" })
        #endif
    }

    @Test("A refusal by a circuit breaker is not tried again, although a person may try again later")
    func refusal() async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(attempts: 3, backoff: .none) }
        let flaky = Flaky(failures: 9, CircuitError.open("shop", for: .seconds(3)))
        await context.send(flaky.action)
        #expect(flaky.runs == 1)
        #expect((context.errorBoundary.current?.error as? CircuitError)?.isRecoverable == true)
    }

    @Test("It waits for its backoff by the orchestrator's clock, and shows during the wait that it is recovering")
    func waits() async throws {
        let app = RecoveringApp()
        let backoff = Backoff.constant(.seconds(3), jitter: .none)
        let context = try await app.context { _ in .retry(attempts: 3, backoff: backoff) }
        let flaky = Flaky(failures: 2)
        async let sent: Void = context.send(flaky.action)
        for runs in 1...2 {
            await app.time.waitForSleepers(1)
            #expect(flaky.runs == runs)
            #expect(context.errorBoundary.isRecovering)
            app.time.advance(by: .seconds(3))
        }
        await sent
        #expect(flaky.runs == 3)
        #expect(!context.errorBoundary.isRecovering)
        #if Instrumented
        #expect(app.observer.recoveries.entries.map(\.nanoseconds) == [6_000_000_000])
        #endif
    }

    @Test("A cancellation during the wait ends it at once: neither ended nor recovered, and kept as cancelled")
    func cancelled() async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(attempts: 3, backoff: .constant(.seconds(3))) }
        let flaky = Flaky(failures: 9)
        let task = Task { await context.send(flaky.action) }
        await app.time.waitForSleepers(1)
        task.cancel()
        await task.value
        #expect(flaky.runs == 1)
        #expect(context.errorBoundary.count == 0 && context.errorBoundary.recoveredCount == 0)
        #expect(context.errorBoundary.history.map(\.resolution) == [.cancelled])
        #if Instrumented
        #expect(app.observer.recoveries.entries.map(\.outcome) == [.cancelled])
        #endif
    }

    @Test("Failures that share a budget are retried as long as it lasts")
    func budget() async throws {
        let app = RecoveringApp()
        let budget = try RetryBudget.tokenRatio(maximumTokens: 4, ratio: 0.1)
        let context = try await app.context { _ in .retry(attempts: 2, backoff: .none, budget: budget) }
        var retries = 0
        for _ in 0..<20 {
            let flaky = Flaky(failures: 9)
            await context.send(flaky.action)
            retries += flaky.runs - 1
        }
        #expect(retries > 0 && retries < 20)
        #expect(budget.exhausted + retries == 20)
        #expect(context.errorBoundary.count == 20)
    }

    @Test("An error that says it is not recoverable is not retried")
    func unrecoverable() async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(attempts: 5, backoff: .none) }
        let flaky = Flaky(failures: 9, GradedError(severity: .nonCritical, isRecoverable: false))
        await context.send(flaky.action)
        #expect(flaky.runs == 1)
        #expect(context.errorBoundary.count == 1)
    }

    @Test("Settings out of range are kept beside the error, and nothing is run again")
    func badSettings() async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(backoff: .constant(.seconds(-1))) }
        let flaky = Flaky(failures: 1)
        await context.send(flaky.action)
        #expect(flaky.runs == 1)
        #expect(context.errorBoundary.current?.error is SampleError)
        #expect(context.errorBoundary.current?.recoveryError is ResilienceError)
    }

    @Test("A retry of the application's own counts what it did")
    func ownRetry() async throws {
        let app = RecoveringApp()
        let retry = try Retry("inventory") { $0.backoff = .none }
        let context = try await app.context { _ in .retry(retry) }
        await context.send(Flaky(failures: 2).action)
        #expect(context.errorBoundary.recoveredCount == 1)
        #expect(retry.counts[.successRetried] == 1)
    }

    @Test("What ends is the error of the last attempt")
    func lastError() async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(attempts: 3, backoff: .none) }
        var number = 0
        await context.send(
            RecoveringAction { _ in
                number += 1
                throw SampleError("\(number)")
            }
        )
        #expect(context.errorBoundary.current?.error as? SampleError == SampleError("3"))
        #expect(context.errorBoundary.current?.recoveryError == nil)
    }

    @Test("A state that could not be applied is applied again, and observation goes on")
    func observation() async throws {
        let app = RecoveringApp()
        let context = try await app.context { _ in .retry(attempts: 3, backoff: .none) }
        let applied = Journal<Int>()
        let flaky = Flaky(failures: 1)
        context.observe(context.tally) { _, state in
            try flaky.run()
            applied.write(state.value)
        }
        await applied.wait(for: 0)
        try await context.tally.process(.add(5))
        await applied.wait(for: 5)
        #expect(context.errorBoundary.recoveredCount == 1 && context.errorBoundary.count == 0)
    }
}
