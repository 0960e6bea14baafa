// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import CZlib

/// The latest ticks, each encoded once. Readers take them at their own pace: a slow reader loses ticks, and does not hold up
/// the others.
final class ReplayBuffer: Sendable {
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
            block = StreamCompressor.block(event)
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

    fileprivate struct State {
        var ticks: [Tick] = []
        /// The bytes of the ticks.
        var weight = 0
        /// The number of the latest sample, of which there need not be a tick.
        var seq = 0
        var end: [UInt8]?
        /// The readers that wait for the next tick.
        var waiters: [OneShot<Void>] = []
        var readers = 0
    }

    /// The most ticks that are kept: those of two minutes.
    static let capacity = 120
    /// The most bytes of ticks. A reader that has missed more than that is better served by a snapshot.
    static let byteLimit = 4 << 20

    /// Guarded by its lock; readers are resumed outside of it.
    private let state = Lock(State())

    var readers: Int { state.withLock { $0.readers } }

    /// How many readers wait for the next tick.
    var waiting: Int { state.withLock { $0.waiters.count } }

    func entered() { state.withLock { $0.readers += 1 } }

    func left() { state.withLock { $0.readers -= 1 } }

    /// Adds the tick of a sample. A sample without a tick makes a hole, and so all ticks are dropped.
    func add(seq: Int, _ tick: Tick?) {
        change { state in
            state.seq = seq
            if let tick { state.add(tick) } else { (state.ticks, state.weight) = ([], 0) }
            return tick != nil
        }
    }

    /// Ends the stream of all readers.
    func end(at: Double, reason: String) {
        var event = JSONText()
        event.raw("event: end\ndata: " as StaticString)
        event.object { json in
            json.member("at", at)
            json.member("reason", reason)
        }
        event.raw("\n\n" as StaticString)
        change { state in
            state.end = event.bytes
            return true
        }
    }

    /// Changes the state, and resumes all waiting readers if there is something for them.
    private func change(_ body: (inout State) -> Bool) {
        let waiters = state.withLock { state -> [OneShot<Void>] in
            guard body(&state) else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.settle(()) }
    }

    /// The ticks after `seq`; nil when some of them are not kept.
    func ticks(after seq: Int) -> [Tick]? {
        state.withLock { $0.ticks(after: seq) }
    }

    /// Waits for what comes after `seq`; nil when the task was cancelled.
    func next(after seq: Int) async -> Delivery? {
        while !Task.isCancelled {
            if let next = state.withLock({ $0.next(after: seq) }) { return next }
            await wait(after: seq)
        }
        return nil
    }

    private func wait(after seq: Int) async {
        let waiter = OneShot<Void>()
        let mustWait = state.withLock { state in
            guard state.next(after: seq) == nil else { return false }
            state.waiters.append(waiter)
            return true
        }
        guard mustWait else { return }
        await waiter.value(ifCancelled: ())
        state.withLock { $0.waiters.removeAll { $0 === waiter } }
    }
}

extension ReplayBuffer.State {
    fileprivate func ticks(after seq: Int) -> [ReplayBuffer.Tick]? {
        if seq == self.seq { return [] }
        guard seq < self.seq, let first = ticks.first, first.seq <= seq + 1 else { return nil }
        return Array(ticks.drop { $0.seq <= seq })
    }

    fileprivate func next(after seq: Int) -> ReplayBuffer.Delivery? {
        if let end { return .ended(end) }
        guard let ticks = ticks(after: seq) else { return .lost(seq: self.seq) }
        return ticks.first.map { .event($0) }
    }

    /// Adds a tick, and removes the oldest while there are too many. The newest always stays.
    fileprivate mutating func add(_ tick: ReplayBuffer.Tick) {
        ticks.append(tick)
        weight += tick.weight
        while ticks.count > ReplayBuffer.capacity || (weight > ReplayBuffer.byteLimit && ticks.count > 1) {
            weight -= ticks.removeFirst().weight
        }
    }
}

/// Compresses the stream of one reader, in parts that do not refer to each other, so that a part that many readers get is
/// compressed once.
struct StreamCompressor {
    /// The beginning of a gzip stream (RFC 1952), without name and time.
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    private var checksum: UInt = 0
    private var count = 0

    /// The next part of the stream; nil if zlib could not allocate memory.
    ///
    /// - Parameter block: The bytes as ``block(_:)`` compresses them, if that was done.
    mutating func part(_ bytes: [UInt8], compressed block: [UInt8]?) -> [UInt8]? {
        guard let block = block ?? Self.block(bytes) else { return nil }
        defer {
            checksum = crc32(checksum, bytes, UInt32(truncatingIfNeeded: bytes.count))
            count += bytes.count
        }
        return count == 0 ? Self.header + block : block
    }

    /// The end of the stream: an empty block, the checksum and the size.
    var trailer: [UInt8] {
        let words = [UInt32(truncatingIfNeeded: checksum), UInt32(truncatingIfNeeded: count)]
        return [3, 0] + words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// The compressed bytes, up to a byte boundary and without an end; nil if zlib could not allocate memory.
    static func block(_ bytes: [UInt8]) -> [UInt8]? {
        let room = axiom_deflate_bound(bytes.count)
        let block = [UInt8](unsafeUninitializedCapacity: room) { output, written in
            // A window of 15 bits, without header and trailer.
            written = axiom_deflate(bytes, bytes.count, output.baseAddress, room, 6, -15, 8, Z_FULL_FLUSH)
        }
        return block.isEmpty ? nil : block
    }
}
