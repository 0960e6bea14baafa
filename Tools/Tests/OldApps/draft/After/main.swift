// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation

let checks = Checks()
let orchestrator = Orchestrator()
orchestrator.register(TodoRepository.self) { TodoRepository($0) }
orchestrator.register(TodoClient.self) { try TodoClient($0) }
orchestrator.register(TodoListContext.self) { try TodoListContext($0) }
try await orchestrator.start()
let host = PresentationHost(TodoListView.self, orchestrator) { _ in }
try await host.mount()
let context = host.context!
await checkTodos(context, checks, add: { await context.addTodo(title: $0) }, toggle: { await context.toggleTodo($0) })
exit(checks.failures == 0 ? 0 : 1)
