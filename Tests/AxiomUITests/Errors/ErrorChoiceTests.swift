// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomUI
import Testing

@MainActor
@Suite("Choices in an error view", .timeLimit(.minutes(10)))
struct ErrorChoiceTests {
    private let app = ShopApp()
    private let offline = NetworkError.noConnection(to: "shop.example")

    @Test("To try again runs the failed action again, and removes the error if it succeeds (UI-04)")
    func retry() async throws {
        try await app.start()
        let context = try app.context()
        let flaky = Flaky(failures: 2, offline)
        await context.send(flaky.action)
        for runs in 1...2 {
            let error = try #require(ErrorPresentation(context.errorBoundary))
            #expect(error.options.map(\.title) == ["Try again", "Dismiss"])
            #expect(error.options.filter(\.isPrimary).map(\.action) == [.retry])
            #expect(flaky.runs == runs)
            let outcome = await context.errorBoundary.choose(1, of: error)
            #expect(outcome == (runs == 1 ? .failure : .success))
        }
        #expect(ErrorPresentation(context.errorBoundary) == nil)
        #expect(flaky.runs == 3)
    }

    @Test("An error that no repetition cures offers only to dismiss it, and that option is not primary (UI-04)")
    func dismissal() async throws {
        try await app.start()
        let context = try app.context()
        let flaky = Flaky(failures: 9, ValidationError.missing("The street"))
        await context.send(flaky.action)
        let error = try #require(ErrorPresentation(context.errorBoundary))
        #expect(error.options.map(\.title) == ["Dismiss"])
        #expect(error.options.filter(\.isPrimary).isEmpty)
        #expect(await context.errorBoundary.choose(1, of: error) == .success)
        #expect(ErrorPresentation(context.errorBoundary) == nil)
        #expect(flaky.runs == 1)
    }

    @Test("An option of an error that is no longer shown, or of another boundary, is rejected (UI-04)")
    func outdated() async throws {
        try await app.start()
        let (context, other) = (try app.context(), try app.context())
        let flaky = Flaky(failures: 9, offline)
        await context.send(flaky.action)
        await other.send(flaky.action)
        let first = try #require(ErrorPresentation(context.errorBoundary))
        #expect(await other.errorBoundary.choose(1, of: first) == .rejected)
        for id in [0, 3, -1, .min, .max] { #expect(await context.errorBoundary.choose(id, of: first) == .rejected) }
        #expect(await context.errorBoundary.choose(1, of: ErrorPresentation(offline)) == .rejected)
        #expect(flaky.runs == 2)
        await context.send(flaky.action)
        #expect(await context.errorBoundary.choose(1, of: first) == .rejected)
        #expect(flaky.runs == 3)
        other.errorBoundary.dismiss(first)
        context.errorBoundary.dismiss(first)
        #expect(ErrorPresentation(context.errorBoundary) != nil && ErrorPresentation(other.errorBoundary) != nil)
    }

    @Test("The options of an application run in the context, and their errors end at its boundary (UI-04)")
    func ownOptions() async throws {
        try await app.start()
        let saved = Outputs<String>()
        let options = [
            RecoveryOption("Use the saved prices") { saved.append("saved") },
            RecoveryOption("Ask for help") { throw NetworkError.server("help", status: 500) },
        ]
        let context = try app.context { _ in .surface(options: options) }
        let flaky = Flaky(failures: 9, offline)
        await context.send(flaky.action)
        let error = try #require(ErrorPresentation(context.errorBoundary))
        #expect(error.options.map(\.isPrimary) == [true, false])
        #expect(await context.errorBoundary.choose(1, of: error) == .success)
        #expect(saved.all == ["saved"])
        await context.send(flaky.action)
        let second = try #require(ErrorPresentation(context.errorBoundary))
        #expect(second.id != error.id)
        #expect(await context.errorBoundary.choose(2, of: second) == .failure)
        #expect(ErrorPresentation(context.errorBoundary)?.code == .serverError)
    }

    @Test("Notifications are presented in order, and each has its own options (UI-05)")
    func notifications() async throws {
        try await app.start()
        let context = try app.context { _ in .notify("Not saved.") }
        let flaky = Flaky(failures: 2, offline)
        await context.send(flaky.action)
        await context.send(flaky.action)
        let shown = BoundaryPresentation(context.errorBoundary)
        #expect(shown.error == nil && !shown.isEmpty)
        #expect(shown.notifications.map(\.message) == ["Not saved.", "Not saved."])
        #expect(await context.errorBoundary.choose(1, of: shown.notifications[1]) == .success)
        #expect(flaky.runs == 3)
        #expect(BoundaryPresentation(context.errorBoundary).notifications == [shown.notifications[0]])
        #expect(await context.errorBoundary.choose(1, of: shown.notifications[1]) == .rejected)
        context.errorBoundary.dismiss(shown.notifications[0])
        #expect(BoundaryPresentation(context.errorBoundary).isEmpty)
    }

    @Test("While a recovery runs, the presentation says so instead of its options (UI-04)")
    func recovering() async throws {
        try await app.start()
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let remedy = RecoveryStrategy("wait") { _ in for await _ in gate { return } }
        let context = try app.context { error in (error as? NetworkError)?.code == .noConnection ? .surface : remedy }
        await context.send(Flaky(failures: 9, offline).action)
        let work = Task { await context.send(Flaky(failures: 9, NetworkError.server("prices", status: 500)).action) }
        await until { context.errorBoundary.isRecovering }
        let error = try #require(ErrorPresentation(context.errorBoundary))
        #expect(error.isRecovering)
        #expect(error.text(width: 60).contains("Trying again…"))
        #expect(!error.text(width: 60).contains("[1]"))
        opened.yield()
        await work.value
        #expect(ErrorPresentation(context.errorBoundary)?.isRecovering != true)
    }

    @Test("The history keeps errors without options, which would keep their operations (UI-04)")
    func history() async throws {
        try await app.start()
        let context = try app.context()
        await context.send(Flaky(failures: 9, offline).action)
        let entry = try #require(context.errorBoundary.history.last)
        #expect(entry.options.isEmpty && ErrorPresentation(entry.error).options.isEmpty)
        #expect(ErrorPresentation(entry.error).code == .noConnection)
        #expect(await context.errorBoundary.choose(1, of: ErrorPresentation(entry.error)) == .rejected)
    }

    @Test("A critical error stays until one of its options is chosen (UI-04)")
    func criticalStays() async throws {
        try await app.start()
        let context = try app.context { _ in .silent }
        let error = CapabilityError.unavailable("Disk", because: "it is full")
        await context.send(Flaky(failures: 9, error).action)
        guard let shown = ErrorPresentation(context.errorBoundary) else {
            #expect(error.severity != .critical)
            return
        }
        context.errorBoundary.dismiss(shown)
        #expect(ErrorPresentation(context.errorBoundary) == shown)
        await context.errorBoundary.choose(1, of: shown)
        #expect(ErrorPresentation(context.errorBoundary) == nil)
    }

    @Test("A page in a terminal shows the error while there is one, and its content after the retry (UI-05)")
    func page() async throws {
        try await app.start()
        let outputs = Outputs<String>()
        let host = PresentationHost(ShopPage.self, app.orchestrator) { outputs.append($0) }
        try await host.mount(ShopContext.Input())
        let context = try #require(host.context)
        await context.send(Flaky(failures: 1, offline).action)
        await until { outputs.all.count == 2 }
        let error = try #require(ErrorPresentation(context.errorBoundary))
        #expect(outputs.all[1] == error.text(width: 60))
        await context.errorBoundary.choose(1, of: error)
        await until { outputs.all.last == "welcome" }
        await host.unmount()
    }
}
