// SPDX-License-Identifier: Apache-2.0

/// What a queue keeps while the receiver is away.
package enum QueueCapacity: Sendable, Hashable {
    /// The latest snapshot only: the receiver needs no history.
    case latest
    /// The earliest snapshot only. The next one is taken when this one was sent or dropped, and has what happened since.
    case earliest
    /// All snapshots, up to this many bytes; the oldest are dropped first.
    case bytes(Int)
}

/// Why samples were dropped: the values of the label `reason`.
package enum DropReason: String, Sendable, CaseIterable {
    /// The queue was full.
    case queueFull = "queue_full"
    /// A newer snapshot replaced them.
    case superseded
    /// The receiver refused them.
    case refused
    /// They were not sent within the deadline of the shutdown.
    case shutdown
}

/// The batches that wait for one receiver, in the order in which they are sent. At most one is being sent.
///
/// At any time, the samples that were appended are those that were sent, dropped, and are pending. A pure value.
package struct PushQueue: Sendable {
    /// Samples by what became of them.
    package struct Totals: Sendable, Hashable {
        package var appended = 0
        package var sent = 0
        package var dropped: [DropReason: Int] = [:]
    }

    private struct Entry {
        let batch: PushBatch
        /// The number of its snapshot.
        let snapshot: Int
    }

    private let capacity: QueueCapacity
    private var waiting: [Entry] = []
    private var sending: Entry?
    private var snapshots = 0
    package private(set) var totals = Totals()
    /// The bytes of all pending batches.
    package private(set) var bytes = 0
    /// The samples of all pending batches.
    package private(set) var samples = 0

    package init(_ capacity: QueueCapacity) { self.capacity = capacity }

    /// Whether nothing is pending.
    package var isEmpty: Bool { waiting.isEmpty && sending == nil }

    /// Whether a batch is being sent.
    package var isSending: Bool { sending != nil }

    /// Whether the next snapshot is to be taken.
    package var takesSnapshot: Bool { capacity != .earliest || isEmpty }

    /// Adds the batches of one snapshot.
    ///
    /// - Parameter overflow: The samples that were dropped before.
    package mutating func append(_ batches: [PushBatch], overflow: Int = 0) {
        snapshots += 1
        totals.appended += overflow
        count(overflow, .queueFull)
        for batch in batches {
            waiting.append(Entry(batch: batch, snapshot: snapshots))
            bytes += batch.bytes.count
            samples += batch.samples
            totals.appended += batch.samples
        }
        enforceCapacity()
    }

    /// The next batch to send; nil if there is none, or one is being sent. Call ``finish(refused:)``, ``drop()``,
    /// ``putBack()`` or ``divide(into:)`` when it was sent.
    package mutating func take() -> PushBatch? {
        guard sending == nil, !waiting.isEmpty else { return nil }
        sending = waiting.removeFirst()
        return sending?.batch
    }

    /// The batch was sent.
    package mutating func finish(refused: Int = 0) {
        guard let batch = endSending() else { return }
        let refused = min(max(refused, 0), batch.samples)
        totals.sent += batch.samples - refused
        count(refused, .refused)
    }

    /// The receiver refused the batch.
    package mutating func drop() {
        guard let batch = endSending() else { return }
        count(batch.samples, .refused)
    }

    /// The batch could not be sent and is tried again later.
    package mutating func putBack() {
        guard let entry = sending else { return }
        sending = nil
        waiting.insert(entry, at: 0)
        enforceCapacity()
    }

    /// The receiver found the batch too large: its parts, which have its samples, are sent in its place.
    package mutating func divide(into parts: [PushBatch]) {
        guard let entry = sending, endSending() != nil else { return }
        for part in parts {
            bytes += part.bytes.count
            samples += part.samples
        }
        waiting.insert(contentsOf: parts.map { Entry(batch: $0, snapshot: entry.snapshot) }, at: 0)
        // Each part repeats the resource, so that the parts are larger than the batch. That alone drops nothing.
        if capacity == .latest { enforceCapacity() }
    }

    /// Drops all batches.
    package mutating func removeAll() {
        putBack()
        while !waiting.isEmpty { dropOldest(.shutdown) }
    }

    private mutating func endSending() -> PushBatch? {
        guard let batch = sending?.batch else { return nil }
        sending = nil
        release(batch)
        return batch
    }

    private mutating func enforceCapacity() {
        switch capacity {
        case .latest: while let first = waiting.first, first.snapshot < snapshots { dropOldest(.superseded) }
        case .earliest: break
        case .bytes(let limit): while bytes > limit, !waiting.isEmpty { dropOldest(.queueFull) }
        }
    }

    private mutating func dropOldest(_ reason: DropReason) {
        let batch = waiting.removeFirst().batch
        release(batch)
        count(batch.samples, reason)
    }

    private mutating func release(_ batch: PushBatch) {
        bytes -= batch.bytes.count
        samples -= batch.samples
    }

    private mutating func count(_ samples: Int, _ reason: DropReason) {
        if samples > 0 { totals.dropped[reason, default: 0] += samples }
    }
}
