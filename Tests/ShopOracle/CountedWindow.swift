// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomNavigation

/// A window that counts the mounts of its presentations and the actions of their contexts in a ledger.
@MainActor
final class CountedWindow: ShopWindow {
    /// A screen with a context, until the ledger has counted its end.
    private struct Opened {
        let context: any Context
        let view: String
        let recorder: ActionRecorder
    }

    private let ledger: Ledger
    /// By the number of the context.
    private var opened: [UInt64: Opened] = [:]

    /// - Throws: As the window without a ledger.
    init(_ flow: NavigationFlow<ShopRoute>, _ orchestrator: Orchestrator, _ ledger: Ledger) throws {
        self.ledger = ledger
        try super.init(flow, orchestrator)
    }

    /// Counts the screens of a transition, also of one that fails. The ledger settles the errors of a context in their order,
    /// so an action begins when the screen has appeared.
    override func move(_ transition: () async throws -> Outcome) async throws -> Outcome {
        defer { count() }
        let outcome = try await super.move(transition)
        await flow.endAppearances()
        return outcome
    }

    override func send<C: Context>(_ action: C.ActionType, to context: C) async {
        // Not for a screen that another transition has ended.
        await opened[context.identity.id]?.recorder.send(action, to: context)
    }

    override func close() async {
        await super.close()
        count()
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

extension ShopRoute {
    /// The name of the presentation.
    @MainActor var view: String {
        switch self {
        case .shop: AppNavigationView.componentName
        case .home: HomeView.componentName
        case .profile: ProfileView.componentName
        case .product: PricingView.componentName
        case .cart: CartView.componentName
        case .checkout: CheckoutView.componentName
        case .signIn: UserView.componentName
        }
    }
}
