// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTestSupport
import Synchronization
import Testing

@testable import AxiomUI

private struct RoutePage: Presentation {
    let context: RouteContext
    var body: String { context.title }
}

/// Passes requests on once it is open.
private final class Latch: Middleware {
    typealias R = ShopRoute

    let isReached = Atomic(false)
    let isOpen = Atomic(false)

    nonisolated(nonsending) func process(
        _ request: NavigationRequest<ShopRoute>,
        next: NavigationNext<ShopRoute>
    ) async throws -> NavigationOutcome<ShopRoute> {
        isReached.store(true, ordering: .relaxed)
        while !isOpen.load(ordering: .relaxed) { await Task.yield() }
        return try await next(request)
    }
}

@MainActor
@Suite("Navigation as a renderer draws it", .serialized, .timeLimit(.minutes(10)))
struct NavigationModelTests {
    private let orchestrator = Orchestrator(limits: .endless)

    private func start(
        _ options: NavigationOptions = NavigationOptions()
    ) async throws
        -> NavigationModel<ShopRoute, String>
    {
        RouteContext.failing = nil
        orchestrator.register(RouteContext.self) { try RouteContext($0, $1) }
        let model = try NavigationModel(orchestrator, ShopRoute.home, options) { .show(RoutePage.self, $0) }
        try await orchestrator.start()
        return model
    }

    private func outputs(_ model: NavigationModel<ShopRoute, String>) -> [[String?]] {
        model.layers.map { $0.screens.map(\.output) }
    }

    @Test("Pushed screens share a layer, and each modal one begins its own (UI-06)")
    func layers() async throws {
        let model = try await start()
        #expect(model.layers.isEmpty)
        await model.open()
        #expect(outputs(model) == [["home"]])
        for route in [ShopRoute.product(1), .cart, .product(2), .photo] { try await model.flow.navigate(to: route) }
        #expect(outputs(model) == [["home", "product(1)"], ["cart", "product(2)"], ["photo"]])
        #expect(model.layers.map(\.style) == [nil, .sheet, .fullScreen])
        #expect(model.layers.map(\.root?.output) == ["home", "cart", "photo"])
    }

    @Test("A screen keeps its id as long as it is in the history, and a second one of its route has another (UI-06)")
    func ids() async throws {
        let model = try await start()
        try await model.flow.reset(to: [.home, .product(1), .product(1)])
        let ids = model.layers[0].screens.map(\.id)
        #expect(Set(ids).count == 3)
        try await model.flow.navigate(to: .product(2))
        #expect(Array(model.layers[0].screens.map(\.id).prefix(3)) == ids)
        try await model.flow.navigateBack()
        #expect(model.layers[0].screens.map(\.id) == ids)
        try await model.flow.navigateBack()
        try await model.flow.navigate(to: .product(1))
        let last = try #require(model.layers[0].screens.last)
        #expect(!ids.contains(last.id))
    }

    @Test("A screen that changes is drawn again (UI-06)")
    func changes() async throws {
        let model = try await start()
        try await model.flow.navigate(to: .cart)
        let cart = try #require(RouteContext.latest)
        cart.title = "an empty cart"
        await until { outputs(model) == [["home"], ["an empty cart"]] }
    }

    @Test("To go back within a layer, and to close one, become transitions of the flow (UI-06)")
    func back() async throws {
        let model = try await start()
        try await model.flow.reset(to: [.home, .product(1), .product(2), .cart, .product(3), .photo])
        let sheet = model.layers[1].id
        await model.closed(model.layers[2].id)?.value
        #expect(model.flow.routes == [.home, .product(1), .product(2), .cart, .product(3)])
        await model.wentBack(to: [], in: sheet)?.value
        #expect(model.flow.routes == [.home, .product(1), .product(2), .cart])
        await model.closed(sheet)?.value
        #expect(model.flow.routes == [.home, .product(1), .product(2)])
        let layer = model.layers[0]
        await model.wentBack(to: Array(layer.path.prefix(1)), in: layer.id)?.value
        #expect(model.flow.routes == [.home, .product(1)])
        await model.wentBack(to: [], in: layer.id)?.value
        #expect(outputs(model) == [["home"]])
    }

    @Test("The renderer's result is drawn at once, before the flow has followed (UI-06)")
    func optimistic() async throws {
        let model = try await start()
        try await model.flow.reset(to: [.home, .product(1), .product(2)])
        let task = model.wentBack(to: [], in: model.layers[0].id)
        #expect(model.layers[0].screens.count == 1 && model.flow.routes.count == 3)
        await task?.value
        #expect(model.flow.routes == [.home])
    }

    @Test("What the application shows after a way back stays (UI-06)")
    func shownAfterwards() async throws {
        let model = try await start()
        try await model.flow.reset(to: [.home, .product(1)])
        let back = model.wentBack(to: [], in: model.layers[0].id)
        await Task.yield()
        try await model.flow.navigate(to: .product(2))
        await back?.value
        #expect(model.flow.routes.last == .product(2))
        #expect(model.layers.flatMap(\.screens).map(\.route) == model.flow.routes)
    }

    @Test("A way back that waits for a transition ends at the screen that the renderer shows (UI-06)")
    func duringTransition() async throws {
        let model = try await start()
        try await model.flow.reset(to: [.home, .product(1), .product(2)])
        let latch = Latch()
        model.flow.addMiddleware(latch)
        let navigation = Task { try await model.flow.navigate(to: .product(3)) }
        await until { latch.isReached.load(ordering: .relaxed) }
        let layer = model.layers[0]
        let back = model.wentBack(to: Array(layer.path.prefix(1)), in: layer.id)
        // The way back joins the queue of the flow in the first job of its task.
        await Task { @MainActor in }.value
        latch.isOpen.store(true, ordering: .relaxed)
        _ = try await navigation.value
        await back?.value
        #expect(model.flow.routes == [.home, .product(1)])
        #expect(model.layers.flatMap(\.screens).map(\.route) == model.flow.routes)
    }

    @Test("What is no way back changes nothing (UI-06)")
    func noWayBack() async throws {
        let model = try await start()
        try await model.flow.reset(to: [.home, .product(1)])
        let layer = model.layers[0]
        #expect(model.wentBack(to: layer.path + [99], in: layer.id) == nil)
        #expect(model.wentBack(to: [99], in: layer.id) == nil)
        #expect(model.wentBack(to: [], in: 12_345) == nil)
        #expect(model.wentBack(to: layer.path, in: layer.id) == nil)
        #expect(model.closed(layer.id) == nil && model.closed(99) == nil)
        #expect(model.flow.routes == [.home, .product(1)] && outputs(model) == [[nil, "product(1)"]])
    }

    @Test("If the flow cannot follow, the screens come back, and the error is shown (UI-06)")
    func failure() async throws {
        var options = NavigationOptions()
        options.liveScreens = 1
        let model = try await start(options)
        try await model.flow.reset(to: [.home, .product(1)])
        RouteContext.failing = .home
        await model.wentBack(to: [], in: model.layers[0].id)?.value
        #expect(model.flow.routes == [.home, .product(1)])
        #expect(model.layers[0].screens.map(\.route) == [.home, .product(1)])
        #expect(model.failure?.kind == .connection)
        model.dismissFailure()
        #expect(model.failure == nil)
        RouteContext.failing = nil
        await model.wentBack(to: [], in: model.layers[0].id)?.value
        #expect(outputs(model) == [["home"]])
    }

    @Test("A first route that cannot be shown is a failure, and opening again tries again (UI-06)")
    func openFails() async throws {
        let model = try await start()
        RouteContext.failing = .home
        await model.open()
        #expect(model.layers.isEmpty && model.failure?.kind == .connection)
        RouteContext.failing = nil
        await model.open()
        #expect(outputs(model) == [["home"]] && model.failure == nil)
    }

    @Test("Only as many screens keep an output as may have a context (UI-06)")
    func bounded() async throws {
        var options = NavigationOptions()
        options.liveScreens = 3
        let model = try await start(options)
        for id in 1...6 { try await model.flow.navigate(to: .product(id)) }
        #expect(model.layers[0].screens.map { $0.output != nil } == [false, false, false, false, true, true, true])
        try await model.flow.navigateBack(5)
        #expect(model.layers[0].screens.last?.output == "product(1)")
    }

    @Test("After the shutdown there is no layer (UI-06)")
    func shutdown() async throws {
        let model = try await start()
        try await model.flow.navigate(to: .product(1))
        await orchestrator.shutdown()
        #expect(model.layers.isEmpty)
    }

    @Test("Random ways back and transitions: the layers are those of the history in the end (UI-06)")
    func random() async throws {
        let model = try await start()
        await model.open()
        var generator = SplitMix64(seed: TestSeed.drawn())
        var tasks: [Task<Void, Never>?] = []
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: await model.closed(model.layers.last?.id ?? 0)?.value
            case 1: tasks.append(model.closed(model.layers.randomElement(using: &generator)?.id ?? 0))
            case 2:
                guard let layer = model.layers.randomElement(using: &generator) else { break }
                let count = Int.random(in: 0...layer.path.count, using: &generator)
                tasks.append(model.wentBack(to: Array(layer.path.prefix(count)), in: layer.id))
            default:
                let route = ShopRoute.samples.randomElement(using: &generator) ?? .home
                try await model.flow.navigate(to: route)
            }
        }
        for task in tasks { await task?.value }
        try await model.flow.navigate(to: .product(7))
        #expect(model.layers.flatMap(\.screens).map(\.route) == model.flow.routes)
        let screens = model.layers.flatMap(\.screens)
        #expect(screens.last?.output == "product(7)")
        #expect(Set(screens.map(\.id)).count == screens.count)
        #expect(model.layers.dropFirst().allSatisfy { $0.style != nil } && model.layers.first?.style == nil)
    }
}
