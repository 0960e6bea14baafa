// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomNavigation
internal import AxiomUI

/// A person who looks at one screen in the terminal.
@MainActor
struct Visitor {
    let model: NavigationModel<ShopRoute, String>
    let window: ShopWindow

    /// Goes to the link or the screen, if one is given, and loads what the screen shows.
    ///
    /// - Throws: The error of the transition.
    func arrive(by link: String?, at screen: ShopRoute?, _ clock: TimeSource) async throws {
        if let link {
            _ = try await window.follow(link)
        } else if let screen {
            _ = try await window.show(screen)
        } else {
            // The launch may have restored screens.
            _ = try await window.move { .arrived(model.flow.currentRoute) }
        }
        guard case .product(let number) = model.flow.currentRoute, let article = ShopRoute.article(number),
            let pricing = window.context as? PricingContext
        else { return }
        let before = output
        await window.act(.quote([CartLine(article: article, quantity: 1)]), on: pricing)
        // Rendering follows the action.
        for _ in 0..<500 where output == before { try await clock.sleep(for: .milliseconds(10)) }
    }

    /// What the current screen shows.
    private var output: String? { model.layers.last?.screens.last?.output }

    /// The screen and the way back, as lines of text:
    /// ```
    /// shop > product 7, noodles
    /// | Price
    /// |   2.48, tax 0.08
    /// ```
    var text: String {
        let path = model.layers.flatMap(\.screens).map { Self.title(of: $0.route) }.joined(separator: " > ")
        let errors = window.context.map { BoundaryPresentation($0.errorBoundary).text(width: 72) } ?? ""
        let lines = [output ?? "", errors].filter { !$0.isEmpty }.joined(separator: "\n\n").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        return ([path] + lines.map { $0.isEmpty ? "|" : "| \($0)" }).joined(separator: "\n")
    }

    /// A route for a person.
    private static func title(of route: ShopRoute) -> String {
        switch route {
        case .product(let number): "product \(number), \(ShopRoute.article(number) ?? "unknown")"
        case .signIn(returnTo: let wanted?): "sign-in (then \(title(of: wanted)))"
        default: route.name
        }
    }
}
