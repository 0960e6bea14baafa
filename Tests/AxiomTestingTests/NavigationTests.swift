// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTesting
import Testing

@MainActor
@Suite("An application with navigation under test", .timeLimit(.minutes(10)))
struct NavigationTests {
    @Test("Screens are mounted, and their contexts are tested (TL-T6)")
    func navigate() async throws {
        let teas = try await TestApplication.teas()
        let shelf = try teas.currentContext(as: ShelfContext.self)
        await shelf.send(.count) { $0.count = 1 }
        #expect(teas.visible.last as? String == "1 teas")
        try await teas.navigate(to: .tea(7))
        let tea = try teas.currentContext(as: TeaDetailContext.self)
        #expect(try tea.context.id == 7)
        await tea.send(.brew) { $0.isBrewed = true }
        #expect(teas.visible.last as? String == "Tea 7, brewed")
        #expect(teas.routes == [.shelf, .tea(7)])
        try await teas.navigateBack()
        #expect(teas.currentRoute == .shelf)
        await teas.finish()
    }

    @Test("A context navigates by itself")
    func request() async throws {
        let teas = try await TestApplication.teas()
        let shelf = try teas.currentContext(as: ShelfContext.self)
        await shelf.send(.choose(3))
        #expect(teas.routes == [.shelf, .tea(3)])
        await teas.finish()
    }

    @Test("A deep link opens its routes (TL-T6)")
    func deepLink() async throws {
        let teas = try await TestApplication.teas()
        #expect(try await teas.handleDeepLink("teas://tea/4") == .tea(4))
        #expect(teas.routes == [.shelf, .tea(4)])
        await #expect(throws: NavigationError.self) { try await teas.handleDeepLink("teas://coffee") }
        await teas.finish()
    }

    @Test("The same context gives the same test, and another type is refused by name")
    func currentContext() async throws {
        let teas = try await TestApplication.teas()
        let shelf = try teas.currentContext(as: ShelfContext.self)
        #expect(try teas.currentContext(as: ShelfContext.self) === shelf)
        let error = #expect(throws: TestError.self) { try teas.currentContext(as: TeaDetailContext.self) }
        #expect(error?.description == "The screen of shelf shows ShelfContext, and no TeaDetailContext.")
        await teas.finish()
    }

    @Test("A context that the application shows is moved by navigation only")
    func shownContext() async {
        let texts = await failures {
            let teas = try await TestApplication.teas()
            let shelf = try teas.currentContext(as: ShelfContext.self)
            await shelf.simulateDisappear()
            await shelf.simulateAppear()
            await teas.finish()
        }
        let text = "The application shows the ShelfContext."
        #expect(texts == ["\(text) To leave it, navigate.", "\(text) To show it, navigate."])
    }

    @Test("A link that is refused, and a screen after the end, are errors with their reasons")
    func refusals() async throws {
        let teas = try await TestApplication.teas()
        teas.flow.addMiddleware(ClosedShop())
        let refusal = await #expect(throws: TestError.self) { try await teas.handleDeepLink("teas://tea/4") }
        #expect(refusal?.message == "The link teas://tea/4 was refused: the shop is closed.")
        await teas.finish()
        let ended = #expect(throws: TestError.self) { try teas.currentContext(as: ShelfContext.self) }
        #expect(ended?.message == "The application shows no screen. Launch it, and do not use it after finish().")
    }

    @Test("What a context did is asserted before a transition ends it")
    func unasserted() async {
        let texts = await failures {
            let teas = try await TestApplication.teas()
            try await teas.navigate(to: .tea(7))
            let tea = try teas.currentContext(as: TeaDetailContext.self)
            await tea.send(.brew)
            try await teas.navigateBack()
            #expect(tea.errorCount == 0)
            await teas.finish()
        }
        #expect(
            texts == [
                """
                The action brew changed what the test does not assert:

                -   isBrewed: false
                +   isBrewed: true

                (Expected: −, Actual: +)
                """
            ]
        )
    }

    @Test("A screen that stays alive is a failure")
    func leak() async {
        let texts = await failures {
            let teas = try await TestApplication.teas()
            try await teas.navigate(to: .tea(7))
            let tea = try teas.currentContext(as: TeaDetailContext.self)
            await tea.send(.leak)
            let retained = WeakBox(try tea.context)
            await teas.finish()
            retained.value?.retained = nil
        }
        let text = "The context TeaDetailContext is alive after the end of the application. Something retains it."
        #expect(texts == [text])
    }

    @Test("A mock of a flow records, refuses, redirects and accepts requests (TL-T6)")
    func mock() async throws {
        let app = TestOrchestrator { $0.register(ShelfContext.self) { try ShelfContext($0) } }
        let flow = try app.navigation(TeaRoute.shelf)
        let shelf = try await app.context(ShelfContext.self)
        await shelf.send(.choose(1))
        flow.expectRequests(.tea(1))
        flow.refuse(because: "the shop is closed")
        await shelf.send(.choose(2))
        flow.expectRequests(.tea(2))
        #expect(flow.routes == [.shelf, .tea(1)])
        flow.redirect(to: .shelf)
        await shelf.send(.choose(3))
        flow.expectRequests(.tea(3), .shelf)
        flow.fail(with: SampleError(number: 3))
        await shelf.send(.choose(4))
        await shelf.expectError(SampleError(number: 3))
        flow.expectRequests(.tea(4))
        flow.accept()
        await shelf.send(.choose(5))
        flow.expectRequests(.tea(5))
        #expect(flow.routes.last == .tea(5))
        await shelf.finish()
    }

    @Test("Requests that the test does not assert, or expects in vain")
    func requestTexts() async {
        let texts = await failures {
            let app = TestOrchestrator { $0.register(ShelfContext.self) { try ShelfContext($0) } }
            let flow = try app.navigation(TeaRoute.shelf)
            let shelf = try await app.context(ShelfContext.self)
            await shelf.send(.choose(1))
            flow.expectRequests(.tea(2))
            await shelf.send(.choose(3))
            await shelf.finish()
        }
        #expect(
            texts == [
                """
                Other routes were requested than expected:

                    [
                -     .tea(2),
                +     .tea(1),
                    ]

                (Expected: −, Actual: +)
                """,
                "The test does not assert the requested routes: tea(3).",
            ]
        )
    }
}

private struct ClosedShop: Middleware {
    nonisolated(nonsending) func process(
        _ request: NavigationRequest<TeaRoute>,
        next: NavigationNext<TeaRoute>
    ) async throws -> NavigationOutcome<TeaRoute> {
        .refused(reason: "the shop is closed")
    }
}

final class WeakBox<Value: AnyObject> {
    weak var value: Value?
    init(_ value: Value) { self.value = value }
}
