// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Entries in the order in which they were written, from any thread, and a way to wait for them.
final class Journal<Entry: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable ([Entry]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var entries: [Entry] = []
        var waiters: [Waiter] = []
    }

    private let state = Lock(State())

    var entries: [Entry] {
        state.withLock { $0.entries }
    }

    func write(_ entry: Entry) {
        let met = state.withLock { state -> [Waiter] in
            state.entries.append(entry)
            let entries = state.entries
            let met = state.waiters.filter { $0.condition(entries) }
            state.waiters.removeAll { $0.condition(entries) }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Waits until the entries meet the condition.
    func wait(until condition: @escaping @Sendable ([Entry]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state -> Bool in
                if condition(state.entries) { return true }
                state.waiters.append(Waiter(condition: condition, continuation: continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}

extension Journal where Entry: Equatable {
    func wait(for entry: Entry) async {
        await wait { $0.contains(entry) }
    }

    func position(of entry: Entry) -> Int? {
        entries.firstIndex(of: entry)
    }
}

/// Suspends its waiters until it is opened.
final class Gate: Sendable {
    private let journal = Journal<Bool>()

    func open() {
        journal.write(true)
    }

    func wait() async {
        await journal.wait(for: true)
    }
}
