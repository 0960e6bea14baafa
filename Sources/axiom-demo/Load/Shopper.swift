// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomNavigation

/// Uses the shop in one window. Its steps are the same for the same seed and number, whatever the server does.
@MainActor
final class Shopper {
    /// The share of actions that are cancelled, and after how many milliseconds.
    private static let (impatient, patience) = (0.15, 0...12)

    /// How many actions the shopper has sent.
    private(set) var actions = 0
    private let index: Int
    private let window: ShopWindow
    private let orchestrator: Orchestrator
    private let links: DeepLinkTable<ShopRoute>?
    private let clock: TimeSource
    private var draw: Draw
    private var stepsOnScreen = 0

    init(_ index: Int, in window: ShopWindow, of orchestrator: Orchestrator, seed: UInt64, clock: TimeSource) throws {
        (self.index, self.window, self.orchestrator, self.clock) = (index, window, orchestrator, clock)
        // Every fourth shopper follows links.
        links = index.isMultiple(of: 4) ? try ShopRoute.links() : nil
        draw = Draw(generator: SeededGenerator(seed: seed, stream: UInt64(index)))
    }

    /// Goes to another screen, uses the current one, or switches to another application and back.
    ///
    /// - Throws: The error of a transition.
    func takeStep() async throws {
        stepsOnScreen -= 1
        if stepsOnScreen < 0 {
            stepsOnScreen = draw.number(3...12)
            try await open(nextRoute())
        } else if draw.happens(0.02) {
            await orchestrator.enterBackground()
            await orchestrator.enterForeground()
        } else {
            let milliseconds = draw.number(Self.patience)
            let patience: Duration? = draw.happens(Self.impatient) ? .milliseconds(milliseconds) : nil
            guard let context = window.context as? any UsedContext else { return }
            await act(on: context, patience)
        }
    }

    /// The two roots are opened as often as all other screens together.
    private func nextRoute() -> ShopRoute {
        let root = draw.any(of: [ShopRoute.shop, .checkout])
        let other = draw.any(of: ShopRoute.samples)
        guard draw.happens(0.5) else { return root }
        if case .product = other { return .product(index % ShopRoute.articles.count + 1) }
        return other
    }

    /// Goes to the screen. Signs in first if it requires that.
    private func open(_ route: ShopRoute) async throws {
        do {
            let link = links?.text(for: route)
            let outcome = if let link { try await window.follow(link) } else { try await window.show(route) }
            guard case .redirected(to: .signIn(returnTo: let wanted?)) = outcome else { return }
            try await window.signIn(as: Draw.customer(ofShopper: index), for: wanted)
        } catch is CancellationError {
            // The load ends.
        }
    }

    /// - Parameter patience: When the action is cancelled; nil for never.
    private func act<C: UsedContext>(on context: C, _ patience: Duration?) async {
        let action = draw.any(of: C.actions(&draw))
        actions += 1
        guard let patience else { return await window.act(action, on: context) }
        let task = Task { await window.act(action, on: context) }
        let timer = Task { [clock] in
            try await clock.sleep(for: patience)
            task.cancel()
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Closes the window.
    func leave() async {
        await window.close()
    }
}
