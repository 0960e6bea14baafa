// SPDX-License-Identifier: Apache-2.0

import AxiomDraft
import SwiftUI

struct TodoListView: View {
    @ObservedObject var context: TodoListContext

    var body: some View {
        List {
            ForEach(context.todos) { todo in
                Button(todo.title) {
                    // Done or not done
                    context.toggleTodo(todo)
                }
            }
            Button("Add") { context.addTodo(title: "New") }
        }
        .onAppear { context.viewDidAppear() }
        .onDisappear { context.viewDidDisappear() }
    }
}
