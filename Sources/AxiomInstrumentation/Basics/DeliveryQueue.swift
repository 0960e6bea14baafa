// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Dispatch

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

extension DeliveryQueue {
    /// Passes each element to a handler, which may block, as one that writes to standard error does while the pipe behind it
    /// is full. It then blocks only a thread of Dispatch: no action, actor or task waits for it. The shared thread pool of
    /// tasks may have as few threads as there are cores, so a handler that blocks must not occupy one of them.
    ///
    /// - Parameters:
    ///   - full: Counts the elements that did not fit into the queue.
    ///   - thread: A serial queue, which runs the handler.
    convenience init(
        to handler: @escaping @Sendable (Element) -> Void,
        full: Counter,
        on thread: DispatchQueue = DispatchQueue(label: "axiom.delivery", qos: .utility)
    ) {
        self.init(full: full) { queue in
            thread.async {
                while let element = queue.next() { handler(element) }
            }
        }
    }
}

/// Counts the states, errors and violations that telemetry dropped, so that every loss is visible.
struct DropCounters: Sendable {
    enum Reason: String, LabelValue, CaseIterable {
        /// States that were pending when a subscription ended because its subscriber did not take them.
        case subscriberStalled = "subscriber_stalled"
        /// A critical error that arrived while the queue of the error sink was full.
        case errorSinkFull = "error_sink_full"
        /// A critical error for which the sink threw an error.
        case errorSinkFailed = "error_sink_failed"
        /// A budget violation that arrived while the queue of the violation handler was full.
        case budgetViolationsFull = "budget_violations_full"
        /// A line for an error that arrived while the queue of lines was full.
        case errorLogFull = "error_log_full"
    }

    private let family: Family<Counter, Reason>

    init(_ registry: Registry) throws(MetricsError) {
        family = try registry.counters(
            "axiom_telemetry_dropped_total",
            help: "What was dropped and why; subscriber_stalled counts states of a subscription that was ended.",
            labels: Label<Reason>("reason")
        )
    }

    subscript(reason: Reason) -> Counter { family(reason) }

    /// The counts of all reasons, in the order of their names.
    var counts: [(reason: String, count: UInt64)] {
        Reason.allCases.map { ($0.rawValue, self[$0].value) }.sorted { $0.0 < $1.0 }
    }
}
