// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Observation

enum NoteRoute: Route {
    case list
    case note(Int)

    var identifier: String {
        switch self {
        case .list: "list"
        case .note: "note"
        }
    }

    static let samples: [NoteRoute] = [.list, .note(1)]
}

/// One note.
@MainActor
@Observable
final class NoteContext: Context {
    typealias Input = Int

    nonisolated let identity: ComponentIdentity
    let id: Int
    private(set) var text = ""
    @ObservationIgnored private let client: any Client<NoteState, NoteAction>

    init(_ scope: borrowing ContextScope, _ id: Int) throws {
        (identity, self.id) = (scope.identity, id)
        client = try scope.client(NoteClient.self)
    }

    func onAppear() async throws {
        observe(client) { context, state in
            context.text = state.notes.first { $0.id == context.id }?.text ?? ""
        }
    }
}

@MainActor
struct NoteView: Presentation {
    let context: NoteContext
    var body: String { context.text }
}

@MainActor
enum NoteApp {
    /// Registers everything but the server.
    static func register(in orchestrator: Orchestrator) {
        orchestrator.register(NoteClient.self) { try NoteClient($0) }
        orchestrator.register(NoteListContext.self) { try NoteListContext($0) }
        orchestrator.register(NoteContext.self) { try NoteContext($0, $1) }
    }

    static func screen(_ route: NoteRoute) -> Screen<String> {
        switch route {
        case .list: .show(NoteListView.self)
        case .note(let id): .show(NoteView.self, id)
        }
    }

    static func links() throws -> DeepLinkTable<NoteRoute> {
        let note = try DeepLink<NoteRoute>("notes://note/:id") { captures in [.list, .note(try captures.require("id"))]
        }
        return try DeepLinkTable([note], samples: [])
    }
}
