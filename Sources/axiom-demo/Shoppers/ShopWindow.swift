// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomNavigation
internal import ShopLoad

/// What one user opens a window with.
@MainActor
struct Visit {
    let orchestrator: Orchestrator
    let ledger: Ledger
    let displays: Displays
    /// The index of the user.
    let shopper: Int
}

/// An intent was sent to another screen than its own.
struct MisplacedIntent: Error, Hashable, CustomStringConvertible {
    let intent: Intent
    let window: String

    var description: String { "\(intent) is for another screen than \(window)" }
}

/// A window of the shop: a flow of navigation and the user who looks at it.
///
/// It counts the mounts of presentations and the actions of their contexts in the ledger. An application without a ledger
/// has only the flow, its guard and its links.
@MainActor
final class ShopWindow {
    /// A screen with a context, until the ledger has counted its end.
    private struct Opened {
        let context: any Context
        let view: String
        let recorder: ActionRecorder
    }

    /// Whether the user of a window is signed in.
    @MainActor
    private final class Account {
        var isSignedIn = false
    }

    let flow: NavigationFlow<ShopRoute>
    private let ledger: Ledger
    private let account = Account()
    /// By the number of the context.
    private var opened: [UInt64: Opened] = [:]

    /// A window of few screens: only the current one has a context.
    static var options: NavigationOptions {
        var options = NavigationOptions()
        options.historyLimit = 8
        options.liveScreens = 1
        options.whenOnStack = .popTo
        // All windows are one row of the metrics.
        options.metricsName = "shop"
        return options
    }

    /// Gives a flow its guard and its links.
    ///
    /// - Throws: `NavigationError` for invalid links, which those of the shop are not.
    init(_ flow: NavigationFlow<ShopRoute>, _ visit: Visit) throws {
        self.flow = flow
        ledger = visit.ledger
        let authentication = try AuthenticationGuard<ShopRoute> { [account] in
            await account.isSignedIn
        } login: {
            .signIn(returnTo: $0)
        }
        flow.addMiddleware(authentication)
        visit.orchestrator.openLinks(with: try ShopLinks.table(), on: flow)
    }

    /// Makes a window with a flow of its own, whose screens are on the displays.
    ///
    /// - Throws: As `Orchestrator.navigation(_:_:name:screen:render:)`.
    convenience init(_ visit: Visit) throws {
        let flow = try visit.orchestrator.navigation(ShopRoute.shop, Self.options, name: "shopper\(visit.shopper)") {
            $0.screen
        } render: { outputs in
            visit.displays.show(outputs.joined(separator: "\n"), to: visit.shopper)
        }
        try self.init(flow, visit)
    }

    /// Follows a deep link.
    ///
    /// - Throws: As `NavigationFlow.open(_:)`.
    func follow(_ link: String) async throws -> NavigationOutcome<ShopRoute> {
        try await counting { try await flow.open(link) }
    }

    /// Shows a route: goes back to it if it is in the history.
    ///
    /// - Throws: As `NavigationFlow.navigate(to:from:)`.
    func show(_ route: ShopRoute) async throws -> NavigationOutcome<ShopRoute> {
        try await counting {
            if flow.routes.dropLast().last == route { return try await flow.navigateBack() }
            return try await flow.navigate(to: route)
        }
    }

    /// Signs in on the current screen, and goes on to the route that was wanted.
    ///
    /// A user counts as signed in from the attempt on, even if the server fails: an order signs in again. So a shopper
    /// opens the same screens, whatever fails.
    ///
    /// - Throws: As ``show(_:)``.
    func signIn(as customer: String, for wanted: ShopRoute) async throws {
        try await act(.user(.signIn(customer: customer)))
        _ = try await counting { try await flow.navigateBack() }
        _ = try await show(wanted)
    }

    /// Sends the action of `intent` to the context of the current screen.
    ///
    /// - Throws: ``MisplacedIntent`` if the intent is for another screen.
    func act(_ intent: Intent) async throws {
        guard let screen = flow.liveContexts.last, let recorder = opened[screen.context.identity.id]?.recorder else {
            return
        }
        switch intent {
        case .user(let intent), .checkout(.user(let intent)): account.isSignedIn = intent != .signOut
        default: break
        }
        guard try await send(intent.action, to: screen.context, recorder) else {
            throw MisplacedIntent(intent: intent, window: screen.route.view)
        }
    }

    private func send<C: Context>(_ action: any Action, to context: C, _ recorder: ActionRecorder) async throws -> Bool
    {
        guard let action = action as? C.ActionType else { return false }
        await recorder.send(action, to: context)
        return true
    }

    /// Ends all screens.
    func close() async {
        try? await flow.close()
        count()
    }

    /// Counts the screens of a transition, also of one that fails. The ledger settles the errors of a context in their order,
    /// so an action begins when the screen has appeared.
    private func counting(
        _ transition: () async throws -> NavigationOutcome<ShopRoute>
    ) async throws -> NavigationOutcome<ShopRoute> {
        defer { count() }
        let outcome = try await transition()
        await flow.endAppearances()
        return outcome
    }

    /// Counts the screens that were opened and ended since the last call.
    func count() {
        let live = flow.liveContexts
        let numbers = Set(live.map(\.context.identity.id))
        for (number, ended) in opened where !numbers.contains(number) {
            // The errors of the context's last phases are settled after the presentation is unmounted.
            ended.recorder.settle(ended.context)
            ledger.mounts.unmounted(ended.view)
            opened[number] = nil
        }
        for (_, route, context) in live where opened[context.identity.id] == nil {
            let recorder = ActionRecorder(ledger)
            ledger.mounts.mounted(route.view)
            recorder.settle(context)
            opened[context.identity.id] = Opened(context: context, view: route.view, recorder: recorder)
        }
    }
}
