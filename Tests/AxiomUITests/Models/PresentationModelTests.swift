// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomUI
import Observation
import Testing

private struct PlainPage: Presentation {
    let context: PlainContext
    var body: String { "plain" }
}

@MainActor
@Observable
private final class PlainContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ action: ShopAction) async throws { try await action.run() }
}

@MainActor
@Suite("A view of one presentation", .timeLimit(.minutes(10)))
struct PresentationModelTests {
    private let app = ShopApp()

    @Test("It shows the output while it is visible, follows its changes, and releases the context afterwards (UI-03)")
    func life() async throws {
        try await app.start()
        let model = PresentationModel(ShopPage.self, app.orchestrator)
        #expect(model.output == nil)
        await model.appear(ShopContext.Input())
        #expect(model.output == "welcome")
        model.context?.greeting = "hello"
        await until { model.output == "hello" }
        weak let context = model.context
        await model.disappear()
        await until { context == nil }
        #expect(model.output == nil)
        await model.appear(ShopContext.Input())
        #expect(model.output == "welcome")
        await model.disappear()
    }

    @Test("A view whose context takes no input needs none")
    func noInput() async throws {
        app.orchestrator.register(PlainContext.self) { PlainContext($0) }
        try await app.start()
        let model = PresentationModel(PlainPage.self, app.orchestrator)
        await model.appear()
        #expect(model.output == "plain")
        await model.disappear()
    }

    @Test("A view that appears twice mounts once (UI-03)")
    func twice() async throws {
        try await app.start()
        let model = PresentationModel(ShopPage.self, app.orchestrator)
        await model.appear(ShopContext.Input())
        let context = try #require(model.context)
        await model.appear(ShopContext.Input())
        #expect(model.context === context && model.output == "welcome")
        await model.disappear()
    }

    @Test("A mount that fails is an error with one option, and the next appearance tries again (UI-03)")
    func failure() async throws {
        try await app.start()
        let model = PresentationModel(ShopPage.self, app.orchestrator)
        await model.appear(ShopContext.Input(failure: NetworkError.noConnection(to: "shop.example")))
        guard case .failed(let error) = model.phase else {
            Issue.record("no error")
            return
        }
        #expect(error.kind == .connection && error.options.map(\.title) == ["Try again"])
        await model.appear(ShopContext.Input())
        #expect(model.output == "welcome")
        await model.disappear()
    }

    @Test("An application that does not run is an error too (UI-03)")
    func notStarted() async {
        let model = PresentationModel(ShopPage.self, app.orchestrator)
        await model.appear(ShopContext.Input())
        guard case .failed(let error) = model.phase else {
            Issue.record("no error")
            return
        }
        #expect(error.kind == .program)
    }

    @Test("A view that disappears while it appears ends without an output and without a context (UI-03)")
    func disappearsEarly() async throws {
        try await app.start()
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let model = PresentationModel(ShopPage.self, app.orchestrator)
        let input = ShopContext.Input(appear: { for await _ in gate { return } })
        let appearing = Task { await model.appear(input) }
        await until { model.output != nil }
        weak let context = model.context
        await model.disappear()
        opened.yield()
        await appearing.value
        await until { context == nil }
        #expect(model.output == nil && model.context == nil)
    }

    @Test("Random appearances and disappearances: the latest one determines what is shown (UI-03)")
    func random() async throws {
        try await app.start()
        for round in 0..<50 {
            let model = PresentationModel(ShopPage.self, app.orchestrator)
            var tasks: [Task<Void, Never>] = []
            for step in 0...(round % 7) {
                let appears = (round >> (step % 3)) & 1 == 0
                tasks.append(
                    Task { if appears { await model.appear(ShopContext.Input()) } else { await model.disappear() } }
                )
                if step.isMultiple(of: 2) { await Task.yield() }
            }
            for task in tasks { await task.value }
            let last = (round >> ((round % 7) % 3)) & 1 == 0
            #expect((model.output == "welcome") == last, "round \(round)")
            #expect((model.context != nil) == last, "round \(round)")
            await model.disappear()
            #expect(model.context == nil)
        }
    }
}
