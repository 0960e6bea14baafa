// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomNavigation

/// What a person looks at in the terminal, besides the load.
struct VisitArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Open a deep link, such as shop://product/7, and print its screen and the way back.",
            valueName: "link"
        ),
        transform: LinkArgument.init
    )
    var open: LinkArgument?

    @Option(
        help: ArgumentHelp("Open a screen, such as cart, and print it and the way back.", valueName: "name"),
        transform: ScreenArgument.init
    )
    var screen: ScreenArgument?

    @Option(
        help: ArgumentHelp(
            """
            The folder in which the cart, the profile, orders that wait, and the way to the printed screen outlive the \
            process. Without --open and --screen, the screen of the run before is printed.
            """,
            valueName: "dir"
        )
    )
    var stateDir: String?

    func validate() throws {
        if open != nil, screen != nil {
            throw ValidationError("--open and --screen both name a screen; give one of them.")
        }
        if stateDir?.isEmpty == true {
            throw ValidationError("--state-dir is empty; name a folder, or leave it out.")
        }
    }

    /// The visit; nil without any of the options.
    var options: VisitOptions? {
        guard open != nil || screen != nil || stateDir != nil else { return nil }
        let destination = open.map { VisitOptions.Destination.link($0.link) } ?? screen.map { .screen($0.route) }
        return VisitOptions(destination: destination, stateFolder: stateDir)
    }
}

/// A deep link of the shop in a command line.
struct LinkArgument: Hashable, Sendable {
    let link: String

    /// - Throws: `ValidationError` that lists the patterns of links.
    init(_ text: String) throws {
        link = text
        let table = try ShopLinks.table()
        do {
            _ = try table.routes(for: text)
        } catch {
            let message = (error as? any AxiomError)?.message ?? "\(error)"
            let patterns = table.patterns.map(\.description).joined(separator: ", ")
            throw ValidationError(
                "\(message) The links are \(patterns); products are 1 to \(ShopRoute.articles.count)."
            )
        }
    }
}

/// The name of a screen in a command line.
struct ScreenArgument: Hashable, Sendable {
    let route: ShopRoute

    /// - Throws: `ValidationError` that lists the names.
    init(_ text: String) throws {
        guard let route = ShopLinks.screen(named: text) else {
            throw ValidationError("the screens are \(ShopLinks.names.joined(separator: ", ")).")
        }
        self.route = route
    }
}
