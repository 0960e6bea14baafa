// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP

/// Runs checks of passwords on threads of their own, a few at a time. The addresses take turns, so that one that guesses
/// passwords delays the others by one check each.
final class VerificationQueue: Sendable {
    private struct Job: Sendable {
        let check: @Sendable () -> Bool
        let done: CheckedContinuation<Bool?, Never>
    }

    /// Guards the waiting checks. Continuations are resumed outside it.
    private let state = Lock(FairQueue<Job>(concurrency: 2, limit: 32))

    /// The result of a check; nil if too many wait.
    func run(for address: String, _ check: @escaping @Sendable () -> Bool) async -> Bool? {
        await withCheckedContinuation { continuation in
            let (starts, rejected) = state.withLock { state in
                let rejected = state.add(Job(check: check, done: continuation), of: address)
                return (state.start(), rejected)
            }
            rejected?.done.resume(returning: nil)
            // A check takes a tenth of a second or more. Clients that guess passwords must not slow the application down.
            if starts { WorkerThread.run(niceness: 10) { [self] in work() } }
        }
    }

    /// Runs checks until none waits.
    private func work() {
        while let job = state.withLock({ $0.next() }) { job.done.resume(returning: job.check()) }
    }
}

/// The elements that wait, by their owner, and how many workers run. The owners take turns. A pure value.
struct FairQueue<Element: Sendable>: Sendable {
    private let concurrency: Int
    private let limit: Int
    private var waiting: [String: [Element]] = [:]
    /// The owners with waiting elements, in the order of their turns.
    private var turns: [String] = []
    private(set) var running = 0

    /// - Parameters:
    ///   - concurrency: The most workers.
    ///   - limit: The most waiting elements.
    init(concurrency: Int, limit: Int) {
        (self.concurrency, self.limit) = (concurrency, limit)
    }

    var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// Adds an element. At the limit it returns the one that must not wait: the youngest of the owner that has the most,
    /// which may be the new one.
    mutating func add(_ element: Element, of owner: String) -> Element? {
        if waiting[owner] == nil { turns.append(owner) }
        waiting[owner, default: []].append(element)
        guard count > limit else { return nil }
        // Among owners with as many, the new one: the others came first.
        let most = waiting.values.map(\.count).max() ?? 0
        let largest = waiting[owner]?.count == most ? owner : waiting.first { $0.value.count == most }?.key ?? owner
        let rejected = waiting[largest]?.popLast()
        forgetIfEmpty(largest)
        return rejected
    }

    /// Whether a worker is to be started, which then counts as running.
    mutating func start() -> Bool {
        guard running < concurrency, !turns.isEmpty else { return false }
        running += 1
        return true
    }

    /// The next element for a worker; nil if there is none, and the worker no longer counts as running.
    mutating func next() -> Element? {
        guard let owner = turns.first, let element = waiting[owner]?.first else {
            running -= 1
            return nil
        }
        turns.removeFirst()
        waiting[owner]?.removeFirst()
        turns.append(owner)
        forgetIfEmpty(owner)
        return element
    }

    private mutating func forgetIfEmpty(_ owner: String) {
        guard waiting[owner]?.isEmpty == true else { return }
        waiting[owner] = nil
        turns.removeAll { $0 == owner }
    }
}
