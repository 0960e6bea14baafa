// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// A bounded queue whose elements are delivered one after the other, in the order of their arrival, off the thread that
/// sends them. Elements that do not fit into the queue are dropped and counted.
final class DeliveryQueue<Element: Sendable>: Sendable {
    /// How many elements may wait.
    static var capacity: Int { 100 }

    private let full: Counter
    private let consume: @Sendable (DeliveryQueue) -> Void
    /// Guarded by its lock. Consumers are started outside of it.
    private let queue = Lock(BoundedQueue<Element>(capacity: DeliveryQueue.capacity))

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
        let (isAccepted, isFirst) = queue.withLock { ($0.append(element), $0.begin()) }
        if !isAccepted { full.increment() }
        if isFirst { consume(self) }
    }

    /// Whether elements are being delivered.
    var isDelivering: Bool { queue.withLock { $0.isDelivering } }

    /// The next element for the consumer; nil if the queue is empty, which ends the consumer.
    func next() -> Element? { queue.withLock { $0.next() } }
}
