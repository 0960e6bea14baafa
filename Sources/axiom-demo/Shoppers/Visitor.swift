// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomNavigation
internal import AxiomUI
internal import ShopLoad

/// What a person wants to see in the terminal.
struct VisitOptions: Hashable, Sendable {
    enum Destination: Hashable, Sendable {
        /// A deep link.
        case link(String)
        case screen(ShopRoute)
    }

    /// Nil for the screen of the run before.
    var destination: Destination?
    /// Where the history outlives the process; nil for nowhere.
    var stateFolder: String?
}

/// A person who looks at one screen in the terminal.
@MainActor
final class Visitor {
    private let model: NavigationModel<ShopRoute, String>
    private let window: ShopWindow
    private let clock: TimeSource

    /// Makes the flow of the visitor, which is not open yet.
    ///
    /// - Throws: As `NavigationModel.init(_:_:_:name:screen:)`.
    init(_ visit: Visit) throws {
        model = try NavigationModel(visit.orchestrator, ShopRoute.shop, ShopWindow.options, name: "visitor") {
            $0.screen
        }
        window = try ShopWindow(model.flow, visit)
        clock = visit.orchestrator.clock
    }

    /// The flow, whose history is to be preserved.
    var flow: NavigationFlow<ShopRoute> { model.flow }

    /// Goes to the destination, and loads what its screen shows.
    ///
    /// - Throws: The error of the transition.
    func arrive(at destination: VisitOptions.Destination?) async throws {
        // The launch may have restored screens.
        window.count()
        switch destination {
        case .link(let link): _ = try await window.follow(link)
        case .screen(let route): _ = try await window.show(route)
        case nil: break
        }
        guard case .product(let number) = flow.currentRoute, let article = ShopRoute.article(number) else { return }
        let before = output
        try await window.act(.pricing(.quote([CartLine(article: article, quantity: 1)])))
        await drawing(differsFrom: before)
    }

    /// Waits until the screen was rendered again, which follows an action, for at most 5 s.
    private func drawing(differsFrom before: String?) async {
        for _ in 0..<500 where output == before {
            guard (try? await clock.sleep(for: .milliseconds(10))) != nil else { return }
        }
    }

    /// What the current screen shows.
    private var output: String? { model.layers.last?.screens.last?.output }

    /// Counts the screens that the shutdown has ended.
    func ended() { window.count() }

    /// The screen and the way back, as lines of text.
    func text(width: Int = 72) -> String {
        let screens = model.layers.flatMap(\.screens)
        let errors = flow.liveContexts.last.map { BoundaryPresentation($0.context.errorBoundary).text(width: width) }
        return ScreenText(
            routes: screens.map(\.route),
            output: output ?? "",
            errors: errors ?? ""
        ).description
    }
}
