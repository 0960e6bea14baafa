// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Observation

enum NoteListAction: Action {
    case refresh
    case add(String)
    case remove(Int)
    case open(Int)
}

/// The list of notes.
@MainActor
@Observable
final class NoteListContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var titles: [String] = []
    private(set) var isSaving = false
    private(set) var isRefreshing = false
    @ObservationIgnored private let client: any Client<NoteState, NoteAction>
    @ObservationIgnored private let navigator: Navigator<NoteRoute>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(NoteClient.self)
        navigator = try scope.navigator(NoteRoute.self)
    }

    func onAppear() async throws {
        observe(client) { context, state in
            context.titles = state.notes.map(\.text)
            context.isSaving = state.unsaved > 0
        }
    }

    func handle(_ action: NoteListAction) async throws {
        switch action {
        case .refresh:
            isRefreshing = true
            defer { isRefreshing = false }
            try await client.process(.load)
        case .add(let text): try await client.process(.add(text))
        case .remove(let id): try await client.process(.remove(id))
        case .open(let id): try await navigator.request(.note(id))
        }
    }

    func recovery(for error: any Error) -> RecoveryStrategy {
        error is NetworkError ? .retry(attempts: 2) : .surface
    }
}

@MainActor
struct NoteListView: Presentation {
    let context: NoteListContext
    var body: String { context.titles.joined(separator: ", ") + (context.isSaving ? " (saving)" : "") }
}
