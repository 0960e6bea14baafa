// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The latest ticks, each encoded once. Readers take them at their own pace: a slow reader loses ticks, and does not hold up
/// the others.
final class ReplayBuffer: Sendable {
    /// One tick.
    struct Tick: Sendable, Equatable {
        let seq: Int
        /// The event of the stream, so that all readers send the same bytes.
        let event: [UInt8]
        /// The event as a part of a compressed stream; nil if zlib could not allocate memory.
        let block: [UInt8]?
        private let body: Range<Int>

        init(seq: Int, json: [UInt8]) {
            let head = Array("id: \(seq)\nevent: tick\ndata: ".utf8)
            self.seq = seq
            event = head + json + Array("\n\n".utf8)
            block = StreamCompression.block(event)
            body = head.count..<(head.count + json.count)
        }

        var json: ArraySlice<UInt8> { event[body] }

        /// The bytes that a browser is sent.
        var size: Int { block?.count ?? event.count }

        /// The bytes that it takes in the buffer.
        fileprivate var weight: Int { event.count + (block?.count ?? 0) }
    }

    /// What a reader gets next.
    enum Delivery: Sendable, Equatable {
        case event(Tick)
        /// The next tick of the reader is no longer kept.
        case lost(seq: Int)
        case ended([UInt8])
    }

    fileprivate struct Waiter {
        let id: Int
        let seq: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    fileprivate struct State {
        var ticks: [Tick] = []
        /// The bytes of the ticks.
        var weight = 0
        /// The number of the latest sample, of which there need not be a tick.
        var seq = 0
        var end: [UInt8]?
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var nextWaiter = 0
        var readers = 0
    }

    /// The most ticks that are kept: those of two minutes.
    static let capacity = 120
    /// The most bytes of ticks. A reader that has missed more than that is better served by a snapshot.
    static let byteLimit = 4 << 20

    /// Guarded by its lock; continuations are resumed outside of it.
    private let state = Lock(State())

    var readers: Int { state.withLock { $0.readers } }

    /// How many readers wait for the next tick.
    var waiting: Int { state.withLock { $0.waiters.count } }

    func entered() { state.withLock { $0.readers += 1 } }

    func left() { state.withLock { $0.readers -= 1 } }

    /// Adds the tick of a sample. A sample without a tick makes a hole, and so all ticks are dropped.
    func add(seq: Int, _ tick: Tick?) {
        let waiters = state.withLock { state -> [Waiter] in
            state.seq = seq
            guard let tick else {
                (state.ticks, state.weight) = ([], 0)
                return []
            }
            state.add(tick)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Ends the stream of all readers.
    func end(at: Double, reason: String) {
        var event = JSONText()
        event.raw("event: end\ndata: {\"at\":" as StaticString)
        event.number(at)
        event.raw(",\"reason\":" as StaticString)
        event.string(reason)
        event.raw("}\n\n" as StaticString)
        let waiters = state.withLock { state in
            state.end = event.bytes
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// The ticks after `seq`; nil when some of them are not kept.
    func ticks(after seq: Int) -> [Tick]? {
        state.withLock { Self.ticks(after: seq, $0) }
    }

    /// Waits for what comes after `seq`; nil when the task was cancelled.
    func next(after seq: Int) async -> Delivery? {
        while !Task.isCancelled {
            if let next = state.withLock({ Self.next(after: seq, $0) }) { return next }
            await wait(after: seq)
        }
        return nil
    }

    private static func ticks(after seq: Int, _ state: State) -> [Tick]? {
        if seq == state.seq { return [] }
        guard seq < state.seq, let first = state.ticks.first, first.seq <= seq + 1 else { return nil }
        return Array(state.ticks.drop { $0.seq <= seq })
    }

    private static func next(after seq: Int, _ state: State) -> Delivery? {
        if let end = state.end { return .ended(end) }
        guard let ticks = ticks(after: seq, state) else { return .lost(seq: state.seq) }
        return ticks.first.map { .event($0) }
    }

    private func wait(after seq: Int) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver = state.cancelled.remove(id) != nil || Self.next(after: seq, state) != nil
                    if !isOver { state.waiters.append(Waiter(id: id, seq: seq, continuation: continuation)) }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            cancel(id)
        }
        _ = state.withLock { $0.cancelled.remove(id) }
    }

    private func cancel(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                // The wait has not begun, or is over.
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume()
    }
}

extension ReplayBuffer.State {
    /// Adds a tick, and removes the oldest while there are too many. The newest always stays.
    fileprivate mutating func add(_ tick: ReplayBuffer.Tick) {
        ticks.append(tick)
        weight += tick.weight
        while ticks.count > ReplayBuffer.capacity || (weight > ReplayBuffer.byteLimit && ticks.count > 1) {
            weight -= ticks.removeFirst().weight
        }
    }
}
