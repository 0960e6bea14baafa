// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import AxiomNavigation
public import Observation

/// A flow of navigation as a renderer draws it: layers of screens, and the ways back that the renderer itself offers,
/// such as a swipe or the button of a navigation bar.
///
/// ```swift
/// let model = try NavigationModel(orchestrator, ShopRoute.home) { route in
///     switch route {
///     case .home: .show(HomePage.self)
///     case .product(let id): .show(ProductPage.self, id)
///     }
/// }
/// ```
/// Make it before the orchestrator starts, and keep it as long as the application runs.
@MainActor
@Observable
public final class NavigationModel<R: Route, Output> {
    /// The layers, the lowest first. Only the last one receives input. Empty until the flow is open.
    public private(set) var layers: [NavigationLayer<R, Output>] = []
    /// The error of the last way back that failed, until ``dismissFailure()`` or the next transition.
    public private(set) var failure: ErrorPresentation?

    /// The flow, which the application navigates with.
    @ObservationIgnored public let flow: NavigationFlow<R>
    @ObservationIgnored private var screens = NavigationScreens<R, Output>()
    /// How many screens keep an output: those that have a context.
    @ObservationIgnored private let keptOutputs: Int
    /// The screen to which the renderer went back, until the flow has followed.
    @ObservationIgnored private var target: Int?
    /// Makes the flow follow the renderer.
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Creates a flow, and draws it.
    ///
    /// - Parameters:
    ///   - root: The first route.
    ///   - options: The limits and rules of the flow.
    ///   - name: The name of the flow.
    ///   - screen: Chooses the screen of a route.
    /// - Throws: As `Orchestrator.navigation(_:_:name:screen:render:)`.
    public init(
        _ orchestrator: Orchestrator,
        _ root: R,
        _ options: NavigationOptions = NavigationOptions(),
        name: String = "main",
        screen: @escaping @MainActor (R) throws -> Screen<Output>
    ) throws {
        let relay = OutputRelay<Output>()
        keptOutputs = options.liveScreens
        flow = try orchestrator.navigation(root, options, name: name, screen: screen) { relay.receive($0) }
        relay.receive = { [weak self] in self?.rendered($0) }
    }

    /// Shows the first route, if the flow shows nothing yet. An error is the ``failure``.
    public func open() async {
        do {
            try await flow.open()
        } catch {
            failed(error)
        }
    }

    /// Removes ``failure``.
    public func dismissFailure() {
        failure = nil
    }

    private func failed(_ error: any Error) {
        if ActionOutcome(ofError: error) != .cancelled { failure = ErrorPresentation(error) }
    }

    private func rendered(_ outputs: [Output]) {
        if flow.isOpen {
            screens.update(flow.routes, outputs, keeping: keptOutputs)
        } else {
            screens = NavigationScreens()
        }
        if failure != nil { failure = nil }
        draw()
    }

    /// Draws the history; only the part up to the target while the flow follows the renderer.
    private func draw() {
        let end = target.flatMap { target in screens.all.firstIndex { $0.id == target } }
        layers = NavigationLayer.layers(of: Array(screens.all.prefix(end.map { $0 + 1 } ?? screens.all.count)))
    }
}

/// Passes outputs on to a receiver that is known later.
@MainActor
private final class OutputRelay<Output> {
    var receive: @MainActor ([Output]) -> Void = { _ in }
}

// MARK: - Ways back

extension NavigationModel {
    /// The user went back within a layer.
    ///
    /// - Parameters:
    ///   - path: The ids of the screens that the renderer still shows above the lowest one. A path that is not a
    ///     beginning of the layer's ``NavigationLayer/path`` is ignored: only the flow adds screens.
    ///   - layer: The id of the layer.
    /// - Returns: Ends when the flow has followed.
    @discardableResult
    public func wentBack(to path: [Int], in layer: NavigationLayer<R, Output>.ID) -> Task<Void, Never>? {
        guard let layer = layers.first(where: { $0.id == layer }), layer.path.starts(with: path) else { return nil }
        return goBack(to: path.last ?? layer.id)
    }

    /// The user closed a modal layer.
    ///
    /// - Parameter layer: The id of the layer. The lowest one cannot be closed.
    /// - Returns: Ends when the flow has followed.
    @discardableResult
    public func closed(_ layer: NavigationLayer<R, Output>.ID) -> Task<Void, Never>? {
        guard let index = layers.firstIndex(where: { $0.id == layer }), index > 0,
            let target = layers[index - 1].screens.last
        else { return nil }
        return goBack(to: target.id)
    }

    /// The renderer shows the result at once. If the flow cannot follow, the screens come back.
    private func goBack(to screen: Int) -> Task<Void, Never>? {
        guard screen != layers.last?.screens.last?.id else { return following }
        target = screen
        draw()
        if let following { return following }
        let task = Task.onMainActor { await follow() }
        following = task
        return task
    }

    /// Goes back once for each target: what the application shows after that is not closed again. The target may change
    /// while the flow goes back.
    private func follow() async {
        do {
            while let goal = target, let index = screens.all.firstIndex(where: { $0.id == goal }),
                index < screens.all.count - 1
            {
                let outcome = try await flow.navigateBack(toDepth: index + 1, screens.all[index].route)
                guard case .arrived = outcome, target != goal else { break }
            }
            end(nil)
        } catch {
            end(error)
        }
    }

    private func end(_ error: (any Error)?) {
        (target, following) = (nil, nil)
        if let error { failed(error) }
        draw()
    }
}
