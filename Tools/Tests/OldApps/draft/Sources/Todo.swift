// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AxiomDraft
import Foundation

public struct TodoItem: Identifiable {
    public let id: UUID
    public var title: String
    public var isCompleted: Bool
}

public enum TodoFilter {
    case all, open
}

public struct TodoListState: State {
    public let id = UUID()
    public let items: [TodoItem]
    public let filter: TodoFilter
    public let isLoading: Bool

    public init(items: [TodoItem] = [], filter: TodoFilter = .all, isLoading: Bool = false) {
        self.items = items
        self.filter = filter
        self.isLoading = isLoading
    }

    public func withItems(_ items: [TodoItem]) -> TodoListState {
        TodoListState(items: items, filter: filter, isLoading: isLoading)
    }

    public func withFilter(_ filter: TodoFilter) -> TodoListState {
        TodoListState(items: items, filter: filter, isLoading: isLoading)
    }

    public func withLoading(_ isLoading: Bool) -> TodoListState {
        TodoListState(items: items, filter: filter, isLoading: isLoading)
    }
}

public enum TodoAction {
    case loadTodos
    case addTodo(title: String)
    case toggleTodo(id: UUID)
    case deleteTodo(id: UUID)
    case setFilter(TodoFilter)
}

public final class TodoRepository: BaseCapability {
    private var saved: [TodoItem] = []

    public override func initialize() async throws {
        // The first item is always there.
        saved = [TodoItem(id: UUID(), title: "Read the guide", isCompleted: false)]
        try await super.initialize()
    }

    public override func terminate() async {
        saved = []
        await super.terminate()
    }

    public func fetchTodos() throws -> [TodoItem] { saved }

    public func saveTodo(_ item: TodoItem) {
        saved.append(item)
    }
}

public final class TodoClient: BaseClient<TodoListState, TodoAction> {
    private let repository: TodoRepository

    public init(repository: TodoRepository) {
        self.repository = repository
        super.init(initialState: TodoListState())
    }

    public override func dispatch(_ action: TodoAction) {
        switch action {
        case .loadTodos:
            updateState(currentState.withLoading(true))
            let todos = (try? repository.fetchTodos()) ?? []
            updateState(currentState.withItems(todos).withLoading(false))

        case .addTodo(let title):
            let newTodo = TodoItem(id: UUID(), title: title, isCompleted: false)
            repository.saveTodo(newTodo)
            let updatedItems = currentState.items + [newTodo]
            updateState(currentState.withItems(updatedItems))

        case .toggleTodo(let id):
            guard let index = currentState.items.firstIndex(where: { $0.id == id }) else { return }
            var items = currentState.items
            items[index].isCompleted.toggle()
            updateState(currentState.withItems(items))

        case .deleteTodo(let id):
            let filteredItems = currentState.items.filter { $0.id != id }
            updateState(currentState.withItems(filteredItems))

        case .setFilter(let filter):
            updateState(currentState.withFilter(filter))
        }
    }

    private var currentState: TodoListState {
        // Access current state (internal helper)
        state
    }
}
