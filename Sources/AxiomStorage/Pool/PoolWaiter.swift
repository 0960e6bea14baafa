// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A call that waits for a connection. Used again by another call when the wait has ended, because most waits end before the
/// call suspends.
///
/// The caller that removes a waiter from the queue of the machine settles it, once, and does not touch it afterwards. So a
/// waiter whose verdict was taken belongs to its call alone.
final class PoolWaiter: Sendable {
    /// How a wait ended.
    enum Verdict: Sendable {
        case leased(PoolCore.Machine.Lease)
        case failed(any Error)
        case late
        case cancelled
    }

    private enum State {
        case open
        case awaited(CheckedContinuation<Verdict, Never>)
        case settled(Verdict)
    }

    /// The continuation is resumed outside of the lock.
    private let state = Lock(State.open)

    init() {}

    func settle(_ verdict: Verdict) {
        let continuation = state.withLock { state -> CheckedContinuation<Verdict, Never>? in
            guard case .awaited(let continuation) = state else {
                state = .settled(verdict)
                return nil
            }
            state = .open
            return continuation
        }
        continuation?.resume(returning: verdict)
    }

    /// Takes the verdict; nil until there is one.
    func take() -> Verdict? {
        state.withLock { state in
            guard case .settled(let verdict) = state else { return nil }
            state = .open
            return verdict
        }
    }

    /// Waits for the verdict, and takes it. The wait has no limit: see ``PoolCore/verdict(of:isolation:_:until:)``.
    func verdict(isolation: isolated (any Actor)? = #isolation) async -> Verdict {
        await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> Verdict? in
                guard case .settled(let verdict) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                state = .open
                return verdict
            }
            if let settled { continuation.resume(returning: settled) }
        }
    }
}

/// A list whose first element needs no allocation. For lists that rarely have more.
struct ShortList<Element: Sendable>: Sendable, Sequence {
    private(set) var first: Element?
    private var others: [Element] = []

    var count: Int { first == nil ? 0 : 1 + others.count }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    /// Removes and returns the first element; nil if the list is empty.
    mutating func popFirst() -> Element? {
        defer { first = others.isEmpty ? nil : others.removeFirst() }
        return first
    }

    func makeIterator() -> Iterator { Iterator(first: first, others: others.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var first: Element?
        fileprivate var others: [Element].Iterator

        mutating func next() -> Element? { first.take() ?? others.next() }
    }
}
