// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// A bounded queue whose elements are delivered one after the other, in the order of their arrival, off the thread that
/// sends them. Elements that do not fit into the queue are dropped and counted.
final class DeliveryQueue<Element: Sendable>: Sendable {
    private struct State {
        var queue = BoundedQueue<Element>(capacity: DeliveryQueue.capacity)
        /// The tasks that wait for an empty queue, by the order of their arrival.
        var idle: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    /// How many elements may wait.
    static var capacity: Int { 100 }

    private let full: Counter
    private let consume: @Sendable (DeliveryQueue) -> Void
    /// Guarded by its lock. Consumers are started and continuations are resumed outside of it.
    private let state = Lock(State())

    /// - Parameters:
    ///   - full: Counts the elements that did not fit into the queue.
    ///   - consume: Starts a consumer, which calls ``next()`` until it returns nil. Must return at once, because it
    ///     runs on the sender's thread. There is at most one consumer at a time.
    init(full: Counter, consume: @escaping @Sendable (DeliveryQueue) -> Void) {
        self.full = full
        self.consume = consume
    }

    /// Queues an element. Cost: a lock, and the start of a consumer if the queue is empty.
    func send(_ element: Element) {
        let (isAccepted, isFirst) = state.withLock { ($0.queue.append(element), $0.queue.begin()) }
        if !isAccepted { full.increment() }
        if isFirst { consume(self) }
    }

    /// Waits until all elements are delivered, or until the task is cancelled: a delivery may hang.
    func drained() async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    // An earlier cancellation found no continuation to resume, so it is detected here.
                    guard state.queue.isDelivering, !Task.isCancelled else { return false }
                    state.idle[waiter] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.idle.removeValue(forKey: waiter) }?.resume()
        }
    }

    /// The next element for the consumer; nil if the queue is empty, which ends the consumer.
    func next() -> Element? {
        let (element, idle) = state.withLock { state -> (Element?, [UInt64: CheckedContinuation<Void, Never>]) in
            if let element = state.queue.next() { return (element, [:]) }
            defer { state.idle = [:] }
            return (nil, state.idle)
        }
        for continuation in idle.values { continuation.resume() }
        return element
    }
}
