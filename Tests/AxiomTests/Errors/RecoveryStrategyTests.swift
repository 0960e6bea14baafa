// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Testing

@testable import Axiom

@MainActor
@Suite("Recovery strategies of a context", .timeLimit(.minutes(10)))
struct RecoveryStrategyTests {
    private let app = RecoveringApp()

    private func fail(_ context: RecoveringContext, _ error: any Error = SampleError("lost")) async {
        await context.send(RecoveringAction { _ in throw error })
    }

    @Test("A strategy is chosen by the type and by the code of each error (ERR-04)")
    func choice() async throws {
        let context = try await app.context { error in
            switch error {
            case is NetworkError: .ignore
            case let error as any AxiomError where error.code == .sessionExpired: .silent
            default: .surface
            }
        }
        await fail(context, NetworkError.noConnection(to: "shop"))
        await fail(context, AuthorizationError.sessionExpired())
        #expect(context.errorBoundary.current == nil)
        await fail(context, AuthorizationError.forbidden("paying"))
        #expect(context.errorBoundary.current != nil)
        #expect(context.errorBoundary.history.map(\.resolution.isRecovered) == [true, false, false])
    }

    @Test("Ignoring and silence spare the person an error, unless it is critical", arguments: ErrorSeverity.allCases)
    func critical(severity: ErrorSeverity) async throws {
        for strategy in [RecoveryStrategy.ignore, .silent] {
            let app = RecoveringApp()
            let context = try await app.context { _ in strategy }
            await fail(context, GradedError(severity: severity))
            #expect((context.errorBoundary.current != nil) == (severity == .critical))
            #expect(context.errorBoundary.history.count == 1)
        }
    }

    @Test("A remedy of the application gives the client its state from before (CLI-13)", arguments: 1..<10)
    func rollback(changes: Int) async throws {
        let context = try await app.context { _ in .surface }
        try await context.tally.process(.add(100))
        let before = await context.tally.state.value
        context.choose = { _ in
            RecoveryStrategy("rollback") { [tally = context.tally] _ in
                let now = await tally.state.value
                try await tally.process(.add(before - now))
            }
        }
        await context.send(
            RecoveringAction { context in
                for _ in 0..<changes { try await context.tally.process(.add(1)) }
                throw SampleError("the last change")
            }
        )
        #expect(await context.tally.state.value == 100)
        #expect(context.errorBoundary.recoveredCount == 1)
        #expect(context.errorBoundary.count == 0)
    }

    @Test("What keeps a remedy from working is kept beside the error, which ends")
    func failedRollback() async throws {
        let context = try await app.context { _ in
            RecoveryStrategy("rollback") { _ in throw SampleError("no snapshot") }
        }
        await fail(context)
        #expect(context.errorBoundary.current?.error as? SampleError == SampleError("lost"))
        #expect(context.errorBoundary.current?.recoveryError as? SampleError == SampleError("no snapshot"))
    }

    @Test("An error that is shown has the options of the strategy, one of which runs the operation again")
    func options() async throws {
        let context = try await app.context { _ in .surface(options: [.retry("Again"), .dismiss()]) }
        let flaky = Flaky(failures: 1)
        await context.send(flaky.action)
        let entry = try #require(context.errorBoundary.current)
        #expect(entry.options.map(\.title) == ["Again", "Dismiss"])
        await context.errorBoundary.choose(entry.options[0])
        #expect(flaky.runs == 2)
        #expect(context.errorBoundary.current == nil)
        #expect(context.errorBoundary.count == 1)
    }

    @Test("A notification offers what the error suggests; to try again is settled like the first time")
    func notification() async throws {
        let error = GradedError(severity: .nonCritical, suggestedAction: .retry)
        let context = try await app.context { _ in .notify() }
        let flaky = Flaky(failures: 2, error)
        await context.send(flaky.action)
        for runs in 1...2 {
            let notification = try #require(context.errorBoundary.notifications.first)
            #expect(context.errorBoundary.notifications.count == 1)
            #expect(notification.message == error.message)
            #expect(notification.options.map(\.action) == [.retry, .dismiss])
            #expect(flaky.runs == runs)
            await context.errorBoundary.choose(notification.options[0], for: notification)
        }
        #expect(flaky.runs == 3)
        #expect(context.errorBoundary.notifications.isEmpty)
        #expect(context.errorBoundary.count == 2)
    }

    @Test("What fails again after a person asked for it has its path again")
    func pathOfOption() async throws {
        let context = try await app.context { _ in .notify(options: [.retry()]) }
        await context.send(RecoveringAction { try await $0.tally.process(.fail("still")) })
        let notification = try #require(context.errorBoundary.notifications.first)
        await context.errorBoundary.choose(notification.options[0], for: notification)
        let paths = context.errorBoundary.history.map { $0.path.map(\.name) }
        #expect(paths == [["TallyClient", "RecoveringContext"], ["TallyClient", "RecoveringContext"]])
    }

    @Test("A notification does not keep its context, and to try again then runs nothing")
    func notificationKeepsNothing() async throws {
        var context: RecoveringContext? = try await app.context { _ in .notify(options: [.retry()]) }
        let reference = WeakReference(try #require(context))
        let flaky = Flaky(failures: 9)
        await context?.send(flaky.action)
        let boundary = try #require(context?.errorBoundary)
        let notification = try #require(boundary.notifications.first)
        context = nil
        #expect(reference.object == nil)
        await boundary.choose(notification.options[0], for: notification)
        #expect(flaky.runs == 1)
    }

    @Test(
        "Navigation to a fallback destination recovers; a failed navigation is kept beside the error"
    )
    func navigation() async throws {
        let shown = Journal<String>()
        let context = try await app.context { _ in .navigate { shown.write("home") } }
        await fail(context, GradedError(severity: .critical))
        #expect(shown.entries == ["home"])
        #expect(context.errorBoundary.count == 0)
        context.choose = { _ in .navigate { throw SampleError("no such place") } }
        await fail(context)
        let entry = try #require(context.errorBoundary.current)
        #expect((entry.recoveryError as? NavigationError)?.code == .navigationFallbackFailed)
    }

    @Test("Of several steps the first that works settles the error, and each is reported")
    func order() async throws {
        let log = Journal<String>()
        let context = try await app.context { _ in
            RecoveryStrategy("first") { _ in
                log.write("first")
                throw SampleError("no")
            }
            .otherwise(RecoveryStrategy("second") { _ in log.write("second") })
            .otherwise(RecoveryStrategy("third") { _ in log.write("third") })
        }
        await fail(context)
        #expect(log.entries == ["first", "second"])
        #expect(context.errorBoundary.history.map(\.resolution) == [.recovered(by: "second")])
        #if Instrumented
        #expect(app.observer.recoveries.entries.map(\.strategy) == ["first", "second"])
        #expect(app.observer.recoveries.entries.map(\.outcome) == [.failed, .recovered])
        #expect(app.observer.ended.entries.isEmpty)
        #endif
    }

    @Test("The description lists the steps in their order")
    func described() {
        let strategy = RecoveryStrategy.retry().otherwise(.ignore).otherwise(.propagate).otherwise(.notify())
        #expect("\(strategy)" == "retry, otherwise ignore, otherwise propagate, otherwise notify")
    }

    @Test("A recovered action is a success, and dismisses the error before it")
    func outcome() async throws {
        let context = try await app.context { _ in .surface }
        await fail(context)
        context.choose = { _ in .ignore }
        await fail(context)
        #expect(context.errorBoundary.current == nil)
    }

    @Test(
        "The history and the queue are bounded, and what gives way is counted",
        arguments: [1, 19, 20, 21, 50, 51, 90]
    )
    func bounds(errors: Int) async throws {
        let context = try await app.context { _ in .notify() }
        for number in 0..<errors { await fail(context, SampleError("\(number)")) }
        let boundary = context.errorBoundary
        #expect(boundary.history.count == min(errors, ErrorBoundary.historyLimit))
        #expect(boundary.history.count + boundary.historyDropped == errors)
        #expect(boundary.notifications.count == min(errors, ErrorBoundary.notificationLimit))
        #expect(boundary.notifications.count + boundary.notificationsDropped == errors)
        #expect(boundary.history.last?.error as? SampleError == SampleError("\(errors - 1)"))
        #expect(boundary.count == errors)
    }

    @Test("With any strategies, each error is either ended, recovered or cancelled", arguments: 0..<40)
    func conservation(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let strategies: [RecoveryStrategy] = [
            .surface, .silent, .ignore, .notify(), .propagate, .retry(attempts: 2, backoff: .none),
            .surface(options: [.dismiss()]), .navigate {},
            RecoveryStrategy("cancels") { _ in throw Cancellation.onPurpose },
            RecoveryStrategy("fails") { _ in throw SampleError("mine") },
        ]
        let context = try await app.context { _ in .surface }
        for number in 0..<ErrorBoundary.historyLimit {
            let strategy = (strategies.randomElement(using: &random) ?? .surface)
                .otherwise(strategies.randomElement(using: &random) ?? .surface)
            context.choose = { _ in strategy }
            await fail(context, SampleError("\(number)"))
        }
        let (own, above) = (context.errorBoundary, app.orchestrator.errorBoundary)
        let cancelled = (own.history + above.history).count { $0.resolution == .cancelled }
        let ended = own.count + above.count
        let recovered = own.recoveredCount + above.recoveredCount
        #expect(ended + recovered + cancelled == ErrorBoundary.historyLimit)
        #if Instrumented
        #expect(app.observer.ended.entries.count == ended)
        let reports = app.observer.recoveries.entries
        #expect(reports.count { $0.outcome == .recovered } == recovered)
        #expect(reports.count { $0.outcome == .cancelled } == cancelled)
        #endif
    }
}
