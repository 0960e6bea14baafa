// SPDX-License-Identifier: Apache-2.0

/// The transitions of a circuit breaker as they are made.
///
/// Each `makeAsyncIterator()`, and so each `for` loop, is a subscription of its own, which begins with the next
/// transition. For a subscriber that is slow the latest wait; older ones are dropped and counted in
/// ``CircuitSummary/droppedEvents``. The sequence ends with the breaker, or when the task that iterates is cancelled.
public struct TransitionEvents: AsyncSequence, Sendable {
    /// A transition.
    public typealias Element = CircuitTransition
    /// It never fails.
    public typealias Failure = Never

    let hub: TransitionHub
    let limit: Int

    /// Subscribes.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: hub.subscribe(limit: limit).makeAsyncIterator())
    }

    /// One subscription. Use it from one task at a time; let go of it to unsubscribe.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<CircuitTransition>.Iterator

        /// Waits for the next transition; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> CircuitTransition? {
            await stream.next(isolation: actor)
        }
    }
}
