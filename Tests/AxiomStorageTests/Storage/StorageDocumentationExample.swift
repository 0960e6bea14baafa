// SPDX-License-Identifier: Apache-2.0

// The first example of Documentation/storage.md. A test compares the two.
import Axiom
import AxiomStorage

struct NotesState: OwnedState, Codable {
    var lines: [String] = []
}

enum NotesAction: Action {
    case load
    case add(String)
}

actor NotesClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<NotesState>
    private let storage: CapabilityRef<any KeyValueStorage>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(NotesState())
        storage = try scope.capability((any KeyValueStorage).self)
    }

    var state: NotesState { store.state }
    nonisolated var stateStream: StateStream<NotesState> { store.stream }

    func process(_ action: NotesAction) async throws {
        switch action {
        case .load:
            let saved = try await storage.call { try await $0.load(NotesState.self, "notes") }
            store.update { $0 = saved ?? NotesState() }
        case .add(let line):
            store.update { $0.lines.append(line) }
            try await storage.call { [notes = store.state] in try await $0.save(notes, "notes") }
        }
    }
}

/// Registers a client, and the database that keeps its notes.
@MainActor
func registerNotes(_ orchestrator: Orchestrator, in folder: String) {
    orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) {
        SQLiteStorage($0, path: "\(folder)/notes.db")
    }
    orchestrator.register(NotesClient.self) { try NotesClient($0) }
}
