// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Observation

/// The navigation of an application, or of one part of it such as a tab: a history of routes, and the screens that show
/// them.
///
/// ```swift
/// let flow = try orchestrator.navigation(ShopRoute.home, screen: screen) { print($0.last ?? "") }
/// try await orchestrator.start()
/// try await flow.open()
/// try await flow.navigate(to: .product(7))
/// ```
/// ``Axiom/Orchestrator/navigation(_:_:name:screen:render:)`` makes it. The application keeps it: the orchestrator does
/// not. It ends with the orchestrator's shutdown, and can be opened again after the next start.
///
/// Transitions take turns. A transition that has begun is completed, even if its caller is cancelled. If a screen cannot
/// be made, everything is as before, and the error is thrown. A transition does not wait for `onAppear()`, so a context
/// may navigate there. It waits for `onDisappear()`; a context that awaits a navigation there gets an error.
@MainActor
@Observable
public final class NavigationFlow<R: Route> {
    /// The name of the flow: a label of metrics.
    public let name: String
    /// The route at the bottom of the history, unless the flow was reset to another one.
    public let root: R
    /// The history, the root first and the current route last. Never empty: the root, before the flow is open.
    public private(set) var routes: [R]
    /// Whether a transition is under way.
    public internal(set) var isTransitioning = false
    /// Whether the flow shows screens: from its first navigation until the shutdown.
    public private(set) var isOpen = false

    @ObservationIgnored let options: NavigationOptions
    @ObservationIgnored let orchestrator: Orchestrator
    @ObservationIgnored let screens: ScreenTable<R>
    @ObservationIgnored let queue: TransitionQueue
    @ObservationIgnored let signals: NavigationSignals
    /// The type of the context that shows a route; throws if there is none.
    @ObservationIgnored let contextOf: @MainActor (R) throws -> (type: ObjectIdentifier, name: String)
    /// The middleware in its order, with the numbers of the tokens.
    @ObservationIgnored private(set) var middleware: [(number: UInt64, step: any NavigationMiddleware<R>)] = [] {
        didSet { chain = MiddlewareChain(middleware.map(\.step)) }
    }
    @ObservationIgnored private(set) var chain = MiddlewareChain<NavigationRequest<R>, NavigationOutcome<R>>()
    /// The number of the latest token.
    @ObservationIgnored private var lastMiddleware: UInt64 = 0
    @ObservationIgnored var prefetcher: Prefetcher?
    @ObservationIgnored private(set) var stack: NavigationStack<R>
    /// The images of the history to which the flow is reset in the current turn, by index.
    @ObservationIgnored var pendingImages: [ScreenImage?] = []
    /// The number of shutdowns. A transition that began before one does not change the stack after it.
    @ObservationIgnored private(set) var generation = 0
    /// The number of shutdowns when the current turn began.
    @ObservationIgnored var turnGeneration = 0

    init<Output>(
        _ root: R,
        _ options: NavigationOptions,
        name: String,
        _ orchestrator: Orchestrator,
        screen: @escaping @MainActor (R) throws -> Screen<Output>,
        render: @escaping @MainActor ([Output]) -> Void
    ) {
        self.name = name
        self.root = root
        self.options = options
        self.orchestrator = orchestrator
        routes = [root]
        stack = NavigationStack(options)
        queue = TransitionQueue(name, orchestrator, options)
        signals = NavigationSignals(
            orchestrator,
            flow: options.metricsName ?? name,
            isShared: options.metricsName != nil,
            R.samples.map { ($0.identifier, $0.metadata.transition) }
        )
        screens = ScreenTable(orchestrator, screen: screen, render: render)
        contextOf = { try screen($0).context }
    }

    /// The route that is shown.
    public var currentRoute: R { routes.last ?? root }

    /// Whether there is a route to go back to.
    public var canNavigateBack: Bool { routes.count > 1 }

    /// Makes `stack` the history.
    func commit(_ stack: NavigationStack<R>) {
        self.stack = stack
        isOpen = !stack.entries.isEmpty
        let routes = isOpen ? stack.routes : [root]
        if routes != self.routes { self.routes = routes }
        signals.depth(stack.entries.count, live: stack.live.count)
        screens.show(stack.visible.map(\.id))
    }

    /// Forgets the screens, which have been unmounted.
    func end() {
        generation += 1
        prefetcher?.clear()
        screens.removeAll()
        if isOpen { commit(NavigationStack(options)) }
    }

    /// Shows the root, if the flow shows nothing yet. The first navigation does this too.
    ///
    /// - Throws: As ``navigate(to:from:)``.
    @discardableResult
    public func open() async throws -> NavigationOutcome<R> {
        try await perform(.open, from: .user)
    }

    /// Shows a route.
    ///
    /// - Parameters:
    ///   - route: The route. Its metadata says how it is shown.
    ///   - source: What caused the request, for middleware.
    /// - Returns: The outcome. A refusal and a redirection are outcomes, not errors.
    /// - Throws: `CancellationError` if the caller is cancelled before the transition begins; ``NavigationError`` for a
    ///   circle of redirections, a full history, a transition that would wait for itself, or a flow that has ended; the
    ///   error of middleware, or of the factory of the screen. The history is then as before.
    @discardableResult
    public func navigate(to route: R, from source: NavigationSource = .user) async throws -> NavigationOutcome<R> {
        try await perform(.show(route), from: source)
    }

    /// Shows a route in place of the current one, whatever its metadata says, in one transition: as a login screen does
    /// after the sign-in. Nothing changes if middleware leads back to the current route, which keeps its screen.
    ///
    /// - Throws: As ``navigate(to:from:)``.
    @discardableResult
    public func replaceCurrent(with route: R) async throws -> NavigationOutcome<R> {
        try await perform(.replace(route), from: .user)
    }

    /// Goes back. Middleware is not consulted: it let the route pass before.
    ///
    /// - Parameter count: The number of routes to go back. The flow stops at the root.
    /// - Returns: The route that is shown, or that nothing changed.
    /// - Throws: As ``navigate(to:from:)``: a screen that was not live is made again.
    @discardableResult
    public func navigateBack(_ count: Int = 1) async throws -> NavigationOutcome<R> {
        try await perform(.back(count), from: .user)
    }

    /// Goes back until the history has `depth` routes, for a renderer that has already drawn the way back. It also
    /// closes what other transitions have shown in the meantime.
    ///
    /// - Parameters:
    ///   - depth: How many routes stay.
    ///   - route: The last of them. Nothing changes if another route is there by then.
    /// - Throws: As ``navigateBack(_:)``.
    @discardableResult
    public func navigateBack(toDepth depth: Int, _ route: R) async throws -> NavigationOutcome<R> {
        try await perform(.backTo(depth: depth, route), from: .user)
    }

    /// Goes back to the root.
    ///
    /// - Throws: As ``navigateBack(_:)``.
    @discardableResult
    public func navigateToRoot() async throws -> NavigationOutcome<R> {
        try await perform(.root, from: .user)
    }

    /// Replaces the whole history, as for a deep link. The routes with which both histories begin keep their screens.
    /// Of the others, only the last one and those visible below it are created now; the rest when they are shown.
    ///
    /// Middleware handles each route, the root first. If it redirects one, the history ends with the route to which it
    /// redirects.
    ///
    /// - Parameter routes: The history, the root first.
    /// - Throws: As ``navigate(to:from:)``.
    @discardableResult
    public func reset(to routes: [R], from source: NavigationSource = .user) async throws -> NavigationOutcome<R> {
        try await perform(.reset(routes, []), from: source)
    }

    /// Adds middleware behind the middleware that was added before. It applies to requests whose turn has not begun.
    @discardableResult
    public func addMiddleware(_ step: some NavigationMiddleware<R>) -> MiddlewareToken {
        lastMiddleware += 1
        middleware.append((lastMiddleware, step))
        return MiddlewareToken(number: lastMiddleware)
    }

    /// Removes middleware. Does nothing if it was removed before.
    public func removeMiddleware(_ token: MiddlewareToken) {
        middleware.removeAll { $0.number == token.number }
    }
}

/// Names one middleware of a flow, for its removal.
public struct MiddlewareToken: Sendable, Hashable {
    fileprivate let number: UInt64
}
