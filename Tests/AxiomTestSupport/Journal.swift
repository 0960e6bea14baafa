// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Entries in the order in which they were written, from any thread, and a way to wait for them.
public final class Journal<Entry: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable ([Entry]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var entries: [Entry] = []
        var waiters: [Waiter] = []
    }

    /// Waiters are resumed outside of the lock.
    private let state = Lock(State())

    /// Makes an empty journal.
    public init() {}

    /// The entries, the first one first.
    public var entries: [Entry] { state.withLock { $0.entries } }

    /// Adds an entry.
    public func write(_ entry: Entry) {
        let met = state.withLock { state -> [Waiter] in
            state.entries.append(entry)
            let entries = state.entries
            let met = state.waiters.filter { $0.condition(entries) }
            state.waiters.removeAll { $0.condition(entries) }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Waits until the entries meet the condition. Not ended by cancellation.
    public func wait(until condition: @escaping @Sendable ([Entry]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state -> Bool in
                if condition(state.entries) { return true }
                state.waiters.append(Waiter(condition: condition, continuation: continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    /// Waits until there are at least so many entries.
    public func wait(forCount count: Int) async {
        await wait { $0.count >= count }
    }
}

extension Journal where Entry: Equatable {
    /// Waits until the entry is there.
    public func wait(for entry: Entry) async {
        await wait { $0.contains(entry) }
    }

    /// The index of the first such entry.
    public func position(of entry: Entry) -> Int? {
        entries.firstIndex(of: entry)
    }
}

/// Suspends tasks until it is opened, and tells how many have come. The wait is not ended by cancellation.
public final class Gate: Sendable {
    private let opened = Journal<Bool>()
    private let arrivals = Journal<Void>()

    /// Makes a closed gate.
    public init() {}

    /// Lets all pass, now and later.
    public func open() {
        opened.write(true)
    }

    /// Waits until it is open.
    public func wait() async {
        arrivals.write(())
        await opened.wait(forCount: 1)
    }

    /// Waits until `count` tasks have come.
    public func waitForArrivals(_ count: Int) async {
        await arrivals.wait(forCount: count)
    }
}

/// Waits until a condition holds, without a clock. The test has a time limit. It polls at background priority, so that it
/// does not take a thread from the work that it waits for.
public func eventually(_ condition: @escaping @Sendable () async -> Bool) async {
    let done = Gate()
    Task.detached(priority: .background) {
        while !(await condition()) { await Task.yield() }
        done.open()
    }
    await done.wait()
}
