// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTesting
import Observation

enum TeaRoute: Route {
    case shelf
    case tea(Int)

    var identifier: String {
        switch self {
        case .shelf: "shelf"
        case .tea: "tea"
        }
    }

    static let samples: [TeaRoute] = [.shelf, .tea(1)]

    @MainActor
    static func screen(_ route: TeaRoute) -> Screen<String> {
        switch route {
        case .shelf: .show(ShelfView.self)
        case .tea(let id): .show(TeaDetailView.self, id)
        }
    }

    static func links() throws -> DeepLinkTable<TeaRoute> {
        let tea = try DeepLink<TeaRoute>("teas://tea/:id") { captures in [.shelf, .tea(try captures.require("id"))] }
        return try DeepLinkTable([tea])
    }
}

enum ShelfAction: Action {
    case choose(Int)
    case count
}

@MainActor
@Observable
final class ShelfContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var count = 0
    @ObservationIgnored private let navigator: Navigator<TeaRoute>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        navigator = try scope.navigator(TeaRoute.self)
    }

    func handle(_ action: ShelfAction) async throws {
        switch action {
        case .choose(let id): try await navigator.request(.tea(id))
        case .count: count += 1
        }
    }
}

enum TeaDetailAction: Action {
    case brew
    case leak
}

@MainActor
@Observable
final class TeaDetailContext: Context {
    typealias Input = Int

    nonisolated let identity: ComponentIdentity
    let id: Int
    private(set) var isBrewed = false
    @ObservationIgnored var retained: (() -> Void)?

    init(_ scope: borrowing ContextScope, _ id: Int) {
        (identity, self.id) = (scope.identity, id)
    }

    func handle(_ action: TeaDetailAction) async throws {
        switch action {
        case .brew: isBrewed = true
        case .leak: retained = { _ = self.id }
        }
    }
}

@MainActor
struct ShelfView: Presentation {
    let context: ShelfContext
    var body: String { "\(context.count) teas" }
}

@MainActor
struct TeaDetailView: Presentation {
    let context: TeaDetailContext
    var body: String { "Tea \(context.id)\(context.isBrewed ? ", brewed" : "")" }
}

extension TestApplication where R == TeaRoute {
    static func teas(_ exhaustivity: Exhaustivity = .on) async throws -> TestApplication {
        try await launch(.shelf, links: TeaRoute.links(), exhaustivity: exhaustivity) { app in
            app.orchestrator.register(ShelfContext.self) { try ShelfContext($0) }
            app.orchestrator.register(TeaDetailContext.self) { TeaDetailContext($0, $1) }
        } screen: {
            TeaRoute.screen($0)
        }
    }
}
