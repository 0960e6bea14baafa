// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A set whose owner can wait until it is empty, or until the wait is given up.
///
/// A server keeps its requests in flight and its open sockets in such sets, and a stop waits for them.
final class DrainingSet<Element: Hashable & Sendable>: Sendable {
    private struct State {
        var elements: Set<Element> = []
        var waiters: [OneShot<Void>] = []
        /// Also ends waits that begin later.
        var hasGivenUp = false

        mutating func takeWaiters() -> [OneShot<Void>] {
            defer { waiters = [] }
            return waiters
        }
    }

    /// Guards every field. No other lock is taken under it, and waiters are resumed outside it, each once.
    private let state = Lock(State())

    /// How many elements there are.
    var count: Int { state.withLock { $0.elements.count } }

    func insert(_ element: Element) {
        state.withLock { _ = $0.elements.insert(element) }
    }

    /// Removes an element if it is there, and ends every wait if it was the last.
    func remove(_ element: Element) {
        let waiters = state.withLock { state in
            state.elements.remove(element)
            return state.elements.isEmpty ? state.takeWaiters() : []
        }
        for waiter in waiters { waiter.settle(()) }
    }

    /// Calls `body` for each element. No element is removed during the visit. `body` must not use the set.
    func visit(_ body: (Element) -> Void) {
        state.withLock { for element in $0.elements { body(element) } }
    }

    /// Returns when there are no elements, or at ``giveUpWaiting()``.
    func waitUntilEmpty() async {
        let waiter = OneShot<Void>()
        let mustWait = state.withLock { state in
            if state.elements.isEmpty || state.hasGivenUp { return false }
            state.waiters.append(waiter)
            return true
        }
        if mustWait { await waiter.value }
    }

    /// Ends every ``waitUntilEmpty()``, also those that begin later.
    func giveUpWaiting() {
        let waiters = state.withLock { state in
            state.hasGivenUp = true
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.settle(()) }
    }
}
