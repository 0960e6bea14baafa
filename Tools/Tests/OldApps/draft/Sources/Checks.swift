// SPDX-License-Identifier: Apache-2.0

// The assertions of the application, which no version of Axiom changes.

/// Counts what does not hold.
@MainActor
final class Checks {
    private(set) var failures = 0

    /// Waits for a condition, for ten seconds at most.
    func expect(_ name: String, _ condition: () -> Bool) async {
        for _ in 0..<10_000 where !condition() { try? await Task.sleep(nanoseconds: 1_000_000) }
        let holds = condition()
        print(holds ? "ok: \(name)" : "FAILED: \(name)")
        if !holds { failures += 1 }
    }
}

@MainActor
func checkTodos(
    _ context: TodoListContext,
    _ checks: Checks,
    add: (String) async -> Void,
    toggle: (TodoItem) async -> Void
) async {
    await checks.expect("the saved item is loaded") {
        context.todos.map(\.title) == ["Read the guide"] && !context.isLoading
    }
    await add("Milk")
    await checks.expect("an item is added") { context.todos.map(\.title) == ["Read the guide", "Milk"] }
    await toggle(context.todos[1])
    await checks.expect("it is completed") { context.todos.map(\.isCompleted) == [false, true] }
}
