// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Why a subscription accepts no more states.
enum SubscriptionEnd: Hashable, Sendable {
    case finished
    /// One critical state more than the limit; `pending` critical states are waiting.
    case stalled(pending: Int)
}

/// The life cycle of one subscription, as a pure state machine. It takes events and returns the actions to perform; it
/// never resumes a waiter itself. `Waiter` is a continuation in production and a number in tests.
struct SubscriptionMachine<Element: Sendable, Waiter> {
    typealias Buffer = SubscriptionBuffer<Element>

    enum Amount {
        case one
        case all
    }

    /// The next step of a call that takes states.
    enum Step {
        case deliver(Buffer.Taken)
        /// The sequence has ended. The reason is returned once; `finished` follows.
        case end(SubscriptionEnd)
        /// Nothing is pending: park a waiter, and proceed when it is resumed.
        case wait
        /// Another call is in progress.
        case busy
    }

    /// The result of offering an element.
    struct Offered {
        var waiter: Waiter?
        var coalesced = 0
        var dropped = 0
        var released = Released<Element>()
    }

    /// The one call that can be in progress.
    private enum Consumer {
        case idle
        case active
        /// Suspended with nothing pending. Leaving this state hands the waiter out, so it is resumed exactly once.
        case parked(Waiter)
    }

    private var buffer: Buffer
    private var consumer = Consumer.idle
    /// Nil while elements are accepted. Once set, pending elements are still delivered.
    private var end: SubscriptionEnd?

    init(_ buffer: Buffer, end: SubscriptionEnd? = nil) {
        self.buffer = buffer
        self.end = end
    }

    /// Whether it still accepts elements.
    var isOpen: Bool { end == nil }

    /// Whether the consumer waits and nothing is pending.
    var isParked: Bool {
        if case .parked = consumer { true } else { false }
    }

    /// How many elements wait to be taken.
    var pending: Int { buffer.count }

    /// The time of the oldest mutation that waits; nil if none does or nothing measures it.
    var oldest: Instant? { buffer.oldest }

    /// A call begins.
    mutating func enter(_ amount: Amount) -> Step {
        guard case .idle = consumer else { return .busy }
        consumer = .active
        return proceed(amount)
    }

    /// Continues the call in progress after it was resumed.
    mutating func proceed(_ amount: Amount) -> Step {
        if let taken = amount == .one ? buffer.takeFirst() : buffer.takeAll() {
            consumer = .idle
            return .deliver(taken)
        }
        guard let end else { return .wait }
        consumer = .idle
        self.end = .finished
        return .end(end)
    }

    /// Parks the call in progress. Returns the waiter instead if it must be resumed at once.
    mutating func park(_ waiter: Waiter) -> Waiter? {
        guard isOpen, buffer.isEmpty else { return waiter }
        consumer = .parked(waiter)
        return nil
    }

    /// Accepts an element.
    mutating func offer(_ entry: Buffer.Entry) -> Offered {
        guard isOpen else { return Offered() }
        var released = Released<Element>()
        switch buffer.append(entry, &released) {
        case .kept(let coalesced): return Offered(waiter: unpark(), coalesced: coalesced, released: released)
        case .refused: return Offered(waiter: finish(.stalled(pending: buffer.criticalCount)), dropped: 1)
        }
    }

    /// Stops accepting elements. The pending ones are delivered, then the reason. The first reason is final.
    mutating func finish(_ end: SubscriptionEnd) -> Waiter? {
        guard isOpen else { return nil }
        self.end = end
        return unpark()
    }

    /// The subscriber leaves: nothing more is delivered. Returns the pending entries, to be released outside the lock.
    mutating func abandon() -> (waiter: Waiter?, pending: Ring<Buffer.Entry>) {
        end = .finished
        let pending = buffer.removeAll()
        return (unpark(), pending)
    }

    private mutating func unpark() -> Waiter? {
        guard case .parked(let waiter) = consumer else { return nil }
        consumer = .active
        return waiter
    }
}
