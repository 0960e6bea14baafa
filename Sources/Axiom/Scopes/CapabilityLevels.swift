// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What a capability's level is over time: first now, then after every change.
///
/// ```swift
/// for await level in network.levels { store.update { $0.networkLevel = level } }
/// ```
/// Each iterator is a separate subscription. A slow subscriber gets only the newest value: values that were replaced
/// before it took them are left out, and so is a value equal to the one that it took last. The sequence ends when the
/// application is shut down, and when the iterating task is cancelled.
public struct CapabilityUpdates<Element: Sendable & Equatable>: AsyncSequence, Sendable {
    /// Updates do not fail.
    public typealias Failure = Never

    private let source: any LevelSource
    private let element: @Sendable (DegradationLevel) -> Element

    init(_ source: any LevelSource, _ element: @escaping @Sendable (DegradationLevel) -> Element) {
        self.source = source
        self.element = element
    }

    /// Begins a subscription.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(cursor: LevelCursor(source), element: element)
    }

    /// One subscription.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let cursor: LevelCursor
        fileprivate let element: @Sendable (DegradationLevel) -> Element
        private var last: Element?

        fileprivate init(cursor: LevelCursor, element: @escaping @Sendable (DegradationLevel) -> Element) {
            self.cursor = cursor
            self.element = element
        }

        /// The newest value that differs from the last one; waits for it.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }

        /// The newest value that differs from the last one; waits for it.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            while let level = await cursor.next() {
                let value = element(level)
                guard value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}

/// The slot of a capability, without its type.
protocol LevelSource: AnyObject, Sendable {
    func withFollowers<R: Sendable>(_ body: @Sendable (inout LevelFollowers) -> R) -> R
}

/// The subscription of one iterator. Ends with it.
private final class LevelCursor: Sendable {
    private let source: any LevelSource
    private let number: UInt64

    init(_ source: any LevelSource) {
        self.source = source
        number = source.withFollowers { $0.add() }
    }

    deinit {
        let number = number
        source.withFollowers { $0.remove(number) }
    }

    func next() async -> DegradationLevel? {
        guard !Task.isCancelled else { return nil }
        let (waiter, number) = (LevelFollowers.Waiter(), number)
        switch source.withFollowers({ $0.next(number, waiter) }) {
        case .level(let level): return level
        case .ended: return nil
        case .wait: return await waiter.value(ifCancelled: nil)
        }
    }
}

/// The subscriptions to the level of one capability. A pure state machine: ``CapabilitySlot`` stores it under its lock,
/// and settles the waiters that it returns.
struct LevelFollowers: Sendable {
    typealias Waiter = OneShot<DegradationLevel?>

    enum Next: Sendable {
        case level(DegradationLevel)
        case ended
        case wait
    }

    private struct Follower {
        var taken: DegradationLevel?
        /// Several if copies of an iterator are used concurrently.
        var waiters: [Waiter] = []
    }

    private var followers: [UInt64: Follower] = [:]
    private var lastNumber: UInt64 = 0
    private var current = DegradationLevel.unavailable
    private var hasEnded = false

    var count: Int { followers.count }

    mutating func add() -> UInt64 {
        lastNumber += 1
        followers[lastNumber] = Follower()
        return lastNumber
    }

    mutating func remove(_ number: UInt64) {
        followers[number] = nil
    }

    /// The next level of a subscription. If there is none yet, a later ``publish(_:)`` or ``end()`` returns `waiter`.
    mutating func next(_ number: UInt64, _ waiter: Waiter) -> Next {
        guard !hasEnded, let follower = followers[number] else { return .ended }
        guard follower.taken == current else {
            followers[number]?.taken = current
            return .level(current)
        }
        followers[number]?.waiters.append(waiter)
        return .wait
    }

    /// Sets the level.
    ///
    /// - Returns: The waiters, to be settled with this level.
    mutating func publish(_ level: DegradationLevel) -> [Waiter] {
        guard level != current, !hasEnded else { return [] }
        current = level
        var waiters: [Waiter] = []
        for (number, follower) in followers where !follower.waiters.isEmpty {
            followers[number] = Follower(taken: level)
            waiters += follower.waiters
        }
        return waiters
    }

    /// Ends all subscriptions.
    ///
    /// - Returns: The waiters, to be settled with nil.
    mutating func end() -> [Waiter] {
        hasEnded = true
        defer { followers = [:] }
        return followers.values.flatMap(\.waiters)
    }
}
