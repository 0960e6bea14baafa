// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomNavigation
public import Testing

/// An application with navigation under test: its screens are mounted by the production engine.
///
/// ```swift
/// let shop = try await TestApplication.launch(ShopRoute.home, links: ShopRoute.links) {
///     Shop.register($0.orchestrator)
/// } screen: { ShopRoute.screen(for: $0) }
/// try await shop.navigate(to: .product(7))
/// let product = try shop.currentContext(as: ProductContext.self)
/// await product.send(.buy) { $0.isBought = true }
/// try await shop.handleDeepLink("shop://cart")
/// #expect(shop.routes == [.home, .cart])
/// await shop.finish()
/// ```
/// A context under test that a transition ends is finished there, at the line of the transition.
@MainActor
public final class TestApplication<R: Route> {
    /// The application: doubles, time, telemetry and life cycle.
    public let app: TestOrchestrator
    /// The navigation of the production engine.
    public let flow: NavigationFlow<R>
    private let outputs: Outputs
    /// The tests of contexts that are not finished. The application keeps them, so that a test need not.
    private var tested: [any TestedContext] = []

    @MainActor
    private final class Outputs {
        var visible: [Any] = []
    }

    private init(_ app: TestOrchestrator, _ flow: NavigationFlow<R>, _ outputs: Outputs) {
        (self.app, self.flow, self.outputs) = (app, flow, outputs)
    }

    /// Starts an application, and shows its first route.
    ///
    /// - Parameters:
    ///   - root: The first route.
    ///   - links: The deep links; nil for none.
    ///   - exhaustivity: Whether the test has to assert everything that happens to the contexts that it asks for.
    ///   - limits: How long the framework waits for the code of components, in the manual time.
    ///   - reporter: Takes the failures.
    ///   - configure: Registers the components and their doubles. To add middleware, use ``flow``.
    ///   - screen: Chooses the screen of a route, as in `Orchestrator.navigation`.
    /// - Throws: As `configure`, `Orchestrator.start()` and `NavigationFlow.open()`; ``TestError`` if the start or the first
    ///   screen waits for the time or for a simulated capability.
    public static func launch<Output>(
        _ root: R,
        links: DeepLinkTable<R>? = nil,
        exhaustivity: Exhaustivity = .on,
        limits: WaitLimits = WaitLimits(),
        reporter: FailureReporter = .testing,
        sourceLocation location: SourceLocation = #_sourceLocation,
        configure: (TestOrchestrator) throws -> Void,
        screen: @escaping @MainActor (R) throws -> Screen<Output>
    ) async throws -> TestApplication {
        let app = TestOrchestrator(exhaustivity: exhaustivity, limits: limits, reporter: reporter)
        try configure(app)
        let outputs = Outputs()
        let flow = try app.orchestrator.navigation(root, screen: screen) { outputs.visible = $0 }
        if let links { app.orchestrator.openLinks(with: links, on: flow) }
        let application = TestApplication(app, flow, outputs)
        let remedy = "launch(_:) shows the first screen at once: in `configure`, release the call or remove the delay."
        try await app.startFully(or: remedy, at: location)
        _ = try await application.transition("The first screen", at: location) { try await flow.open() }
        return application
    }

    /// The history, the root first and the current route last.
    public var routes: [R] { flow.routes }
    /// The route that is shown.
    public var currentRoute: R { flow.currentRoute }
    /// What the visible screens rendered last, the current one last.
    public var visible: [Any] { outputs.visible }

    // MARK: - Transitions

    /// Shows a route.
    ///
    /// - Returns: What became of it.
    /// - Throws: As `NavigationFlow.navigate(to:from:)`; ``TestError`` if the transition waits for the time or for a
    ///   simulated capability.
    @discardableResult
    public func navigate(
        to route: R,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> NavigationOutcome<R> {
        let flow = flow
        return try await transition("The way to \(route)", at: location) { try await flow.navigate(to: route) }
    }

    /// Goes back.
    ///
    /// - Throws: As ``navigate(to:sourceLocation:)``.
    @discardableResult
    public func navigateBack(
        _ count: Int = 1,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> NavigationOutcome<R> {
        let flow = flow
        return try await transition("The way back", at: location) { try await flow.navigateBack(count) }
    }

    /// Opens a link from outside.
    ///
    /// - Returns: The route that is shown then.
    /// - Throws: As `Orchestrator.handleDeepLink(_:)`; ``TestError`` if it was refused, or waits.
    @discardableResult
    public func handleDeepLink(
        _ url: String,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> R {
        let orchestrator = app.orchestrator
        let outcome = try await transition("The link \(url)", at: location) {
            try await orchestrator.handleDeepLink(url)
        }
        if case .refused(let reason) = outcome { throw TestError("The link \(url) was refused: \(reason).") }
        return currentRoute
    }

    private func transition<Outcome>(
        _ name: String,
        at location: SourceLocation,
        _ body: @escaping @MainActor () async throws -> Outcome
    ) async throws -> Outcome {
        await app.settle(at: location)
        let outcome = try await app.run(name, at: location, body)
        await finishEnded(at: location)
        guard let outcome else { throw TestError("\(name) waits for the time or a simulated capability.") }
        return outcome
    }

    /// Finishes the contexts under test that no screen shows any more.
    private func finishEnded(at location: SourceLocation) async {
        for context in tested where !isShown(context) { await context.finish(sourceLocation: location) }
        tested.removeAll(where: \.isFinished)
    }

    private func isShown(_ tested: any TestedContext) -> Bool {
        flow.liveContexts.contains { $0.context.contains(tested.liveContext) }
    }

    // MARK: - Contexts and the end

    /// The test of the context of the current screen, or of a context downstream of it.
    ///
    /// - Throws: ``TestError`` if the screen has no such context.
    public func currentContext<C: Context>(
        as type: C.Type,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) throws -> TestContext<C> {
        guard let shown = flow.liveContexts.last, shown.index == flow.routes.count - 1 else {
            throw TestError("The application shows no screen. Launch it, and do not use it after finish().")
        }
        guard let context = shown.context.first(C.self) else {
            let name = shown.context.identity.descriptor.name
            throw TestError("The screen of \(shown.route) shows \(name), and no \(C.componentName).")
        }
        if let tested = app.taps.contexts[ObjectIdentifier(context)]?.context as? TestContext<C> { return tested }
        let shownContext = ShownContext(context) { [outputs] in
            outputs.visible
        } isShown: { [flow] shown in
            flow.liveContexts.contains { $0.context.contains(shown) }
        }
        let made = app.test(context, shownContext, at: location)
        tested.append(made)
        return made
    }

    /// Ends the application: finishes the contexts under test, shuts it down, and checks that no screen stays alive.
    public func finish(sourceLocation location: SourceLocation = #_sourceLocation) async {
        let trees = flow.liveContexts.map { WeakTree($0.context) }
        await app.finish(sourceLocation: location)
        tested = []
        for name in trees.flatMap(\.live) {
            let text = "The context \(name) is alive after the end of the application. Something retains it."
            app.failures.unasserted(text, at: location)
        }
    }
}

/// A context that a screen of the application shows.
@MainActor
private final class ShownContext: PresentedContext {
    private weak var context: (any Context)?
    private let makeOutputs: @MainActor () -> [Any]
    private let isShown: @MainActor (any Context) -> Bool

    init(
        _ context: any Context,
        outputs: @escaping @MainActor () -> [Any],
        isShown: @escaping @MainActor (any Context) -> Bool
    ) {
        (self.context, makeOutputs, self.isShown) = (context, outputs, isShown)
    }

    var outputs: [Any] { makeOutputs() }
    var isShownElsewhere: Bool { context.map(isShown) ?? false }
    func cover() async {}
    func uncover() async {}
    func unmount() async {}
    func release() async {}
}

extension Context {
    /// The first context of a type in this tree.
    fileprivate func first<C: Context>(_ type: C.Type) -> C? {
        if let found = self as? C { return found }
        for child in downstreamContexts {
            if let found = child.first(type) { return found }
        }
        return nil
    }

    fileprivate func contains(_ context: (any Context)?) -> Bool {
        context === self || downstreamContexts.contains { $0.contains(context) }
    }
}
