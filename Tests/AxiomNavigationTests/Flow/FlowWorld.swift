// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Observation
import Synchronization
import Testing

/// Routes of every style.
enum FlowRoute: Route {
    case home
    case item(Int)
    case sheet(Int)
    case swap(Int)
    case account

    var identifier: String {
        switch self {
        case .home: "home"
        case .item: "item"
        case .sheet: "sheet"
        case .swap: "swap"
        case .account: "account"
        }
    }

    var metadata: RouteMetadata {
        switch self {
        case .sheet: RouteMetadata(transition: .modal(.sheet))
        case .swap: RouteMetadata(transition: .replace)
        case .account: RouteMetadata(requiresAuthentication: true)
        case .item(let id): RouteMetadata(prefetch: [PrefetchRequirement(ItemKey(id: id))])
        case .home: RouteMetadata()
        }
    }

    static let samples: [FlowRoute] = [.home, .item(0), .sheet(0), .swap(0), .account]
}

struct ItemKey: PrefetchKey {
    typealias Value = Int
    let id: Int
}

/// What a ``FlowContext`` is to do.
struct FlowAction: Action {
    let run: @MainActor @Sendable (FlowContext) async throws -> Void
}

/// The context of every route.
@Observable
final class FlowContext: Context {
    typealias Input = FlowRoute

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let route: FlowRoute
    @ObservationIgnored let navigator: Navigator<FlowRoute>
    @ObservationIgnored private weak var world: FlowWorld?
    @ObservationIgnored private let counts: FlowCounts
    var value = 0

    init(_ scope: borrowing ContextScope, _ route: FlowRoute, _ world: FlowWorld) throws {
        identity = scope.identity
        navigator = try scope.navigator(FlowRoute.self)
        self.route = route
        self.world = world
        counts = world.counts
        counts.created.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { counts.destroyed.wrappingAdd(1, ordering: .relaxed) }

    func handle(_ action: FlowAction) async throws { try await action.run(self) }

    func onAppear() async throws {
        world?.events.append("appear \(route)")
        try await world?.onAppear(self)
    }

    func onDisappear() async throws {
        world?.events.append("disappear \(route)")
        try await world?.onDisappear(self)
    }

    func recovery(for error: any Error) -> RecoveryStrategy { world?.recovery(self) ?? .surface }
}

/// How many contexts were made and have ended.
final class FlowCounts: Sendable {
    let created = Atomic(0)
    let destroyed = Atomic(0)

    var live: Int { created.load(ordering: .relaxed) - destroyed.load(ordering: .relaxed) }
}

/// Shows the route and the value of a context.
struct FlowView: Presentation {
    let context: FlowContext

    var body: String { "\(context.route) \(context.value)" }
}

/// An application with one flow.
@MainActor
final class FlowWorld {
    struct Broken: Error, Equatable {}

    let orchestrator: Orchestrator
    let counts = FlowCounts()
    private(set) var flow: NavigationFlow<FlowRoute>!
    /// What was rendered, the latest last.
    private(set) var outputs: [[String]] = []
    var events: [String] = []
    /// The routes whose factory throws.
    var broken: Set<FlowRoute> = []
    var onAppear: @MainActor (FlowContext) async throws -> Void = { _ in }
    var onDisappear: @MainActor (FlowContext) async throws -> Void = { _ in }
    var recovery: @MainActor (FlowContext) -> RecoveryStrategy = { _ in .surface }

    init(
        instrumentation: any Instrumentation = Instrumentations(),
        _ change: (inout NavigationOptions) -> Void = { _ in }
    ) throws {
        orchestrator = Orchestrator(instrumentation: instrumentation, limits: .endless)
        var options = NavigationOptions()
        change(&options)
        flow = try orchestrator.navigation(FlowRoute.home, options) {
            .show(FlowView.self, $0)
        } render: { [weak self] in
            self?.outputs.append($0)
        }
        orchestrator.register(FlowContext.self) { [weak self] scope, route in
            guard let self, !self.broken.contains(route) else { throw Broken() }
            return try FlowContext(scope, route, self)
        }
    }

    /// A world whose flow shows these routes.
    static func open(
        _ routes: [FlowRoute] = [.home],
        instrumentation: any Instrumentation = Instrumentations(),
        _ change: (inout NavigationOptions) -> Void = { _ in }
    ) async throws -> FlowWorld {
        let world = try FlowWorld(instrumentation: instrumentation, change)
        try await world.orchestrator.start()
        try await world.flow.reset(to: routes.isEmpty ? [.home] : routes)
        await until { world.events.last == "appear \(world.flow.currentRoute)" }
        await world.orchestrator.quiet()
        return world
    }

    /// The context on top.
    var top: FlowContext? { flow.liveContexts.last?.context as? FlowContext }
}

/// The value of a context in one byte.
@MainActor
final class ValueImages: ScreenImaging {
    func image(of context: any Context) -> ScreenImage? {
        (context as? FlowContext).map { ScreenImage(bytes: [UInt8(clamping: $0.value)]) }
    }

    func restore(_ image: ScreenImage, to context: any Context) {
        (context as? FlowContext)?.value = Int(image.bytes.first ?? 0)
    }
}

/// Waits until a condition on the main actor holds. The test has a time limit.
@MainActor
func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
    while !condition() {
        // The limit of time of the test has passed.
        guard !Task.isCancelled else {
            Issue.record("The condition did not become true", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}

/// Suspends its waiters until it is opened.
@MainActor
final class FlowGate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var observers: [CheckedContinuation<Void, Never>] = []

    /// Waits until the gate suspends somebody.
    func reached() async {
        guard waiters.isEmpty else { return }
        await withCheckedContinuation { observers.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters.removeAll()
    }

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation {
            waiters.append($0)
            for observer in observers { observer.resume() }
            observers.removeAll()
        }
    }
}
