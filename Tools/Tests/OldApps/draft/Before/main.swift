// SPDX-License-Identifier: Apache-2.0

import Foundation

let checks = Checks()
let repository = TodoRepository()
try await repository.initialize()
let context = TodoListContext(client: TodoClient(repository: repository))
context.viewDidAppear()
await checkTodos(context, checks, add: { context.addTodo(title: $0) }, toggle: { context.toggleTodo($0) })
exit(checks.failures == 0 ? 0 : 1)
