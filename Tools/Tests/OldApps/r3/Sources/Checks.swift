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
func checkUser(_ context: UserContext, _ checks: Checks) async {
    await checks.expect("nobody is logged in") { context.username == "" && !context.isLoggedIn }
    await context.send(.login(username: "test@example.com"))
    await checks.expect("the user is logged in") { context.username == "test@example.com" && context.isLoggedIn }
    await context.send(.login(username: ""))
    await checks.expect("a refused login is an error") { context.error != nil && context.isLoggedIn }
    await context.send(.logout)
    await checks.expect("the user is logged out") {
        context.username == "" && !context.isLoggedIn && context.error == nil
    }
    await checks.expect("the context has one below it") { context.downstreamContexts.count == 1 }
}

@MainActor
func checkProducts(_ context: ProductContext, _ checks: Checks) async {
    // The first state differs from what a context begins with, so that the check waits for it. An update that is sent before
    // a context of an old version has read its first state is counted twice.
    await checks.expect("there is one product") { context.items.map(\.id) == [0] && context.totalPrice == 10 }
    await context.send(.addItem(Product(id: 1, price: 250)))
    await context.send(.addItem(Product(id: 2, price: 120)))
    await checks.expect("three products have a total") {
        context.items.map(\.id) == [0, 1, 2] && context.totalPrice == 380
    }
    await context.send(.removeItem(1))
    await checks.expect("one is removed") { context.items.map(\.id) == [0, 2] && context.totalPrice == 130 }
}
