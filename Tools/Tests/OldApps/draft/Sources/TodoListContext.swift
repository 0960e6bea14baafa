// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import AxiomDraft
import Combine
import Foundation

public final class TodoListContext: BaseContext {
    @Published public private(set) var todos: [TodoItem] = []
    @Published public private(set) var isLoading: Bool = false

    private let client: TodoClient
    private var cancellables: Set<AnyCancellable> = []

    public init(client: TodoClient) {
        self.client = client
        super.init()
        observeClientState()
    }

    public override func viewDidAppear() {
        super.viewDidAppear()
        client.dispatch(.loadTodos)
    }

    public override func viewDidDisappear() {
        super.viewDidDisappear()
        cancellables.removeAll()
    }

    public func addTodo(title: String) {
        client.dispatch(.addTodo(title: title))
    }

    public func toggleTodo(_ todo: TodoItem) {
        client.dispatch(.toggleTodo(id: todo.id))
    }

    private func observeClientState() {
        client.$state
            .sink { [weak self] state in
                self?.todos = state.items
                self?.isLoading = state.isLoading
            }
            .store(in: &cancellables)
    }
}
