// SPDX-License-Identifier: Apache-2.0

import Axiom

struct Note: Hashable, Sendable, Identifiable {
    let id: Int
    var text: String
}

/// Where notes are kept.
protocol NoteServer: Actor {
    func load() async throws -> [Note]
    func save(_ note: Note) async throws
}

struct NoteState: OwnedState {
    var notes: [Note] = []
    var unsaved = 0
}

enum NoteAction: Action {
    case load
    case add(String)
    case remove(Int)
}

/// Owns the notes.
actor NoteClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let server: CapabilityRef<any NoteServer>
    private let store: StateStore<NoteState>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        server = try scope.capability((any NoteServer).self)
        store = scope.store(NoteState())
    }

    var state: NoteState { store.state }
    nonisolated var stateStream: StateStream<NoteState> { store.stream }

    func process(_ action: NoteAction) async throws {
        switch action {
        case .load:
            let notes = try await server.call { try await $0.load() }
            store.update { $0.notes = notes }
        case .add(let text):
            let note = Note(id: (store.state.notes.map(\.id).max() ?? 0) + 1, text: text)
            store.update {
                $0.notes.append(note)
                $0.unsaved += 1
            }
            try await server.call { try await $0.save(note) }
            store.update { $0.unsaved -= 1 }
        case .remove(let id): store.update { $0.notes.removeAll { $0.id == id } }
        }
    }
}
