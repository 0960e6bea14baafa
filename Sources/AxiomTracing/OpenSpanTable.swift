// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Tracing

/// The spans of a tracer that have been started and not ended, by the ids of the recorded spans.
///
/// It holds one entry for each open span that has or can have children.
final class OpenSpanTable<Span: Tracing.Span>: Sendable {
    struct Entry: Sendable {
        let span: Span
        /// What is bound while the span runs.
        let context: ServiceContext
    }

    /// Ids are spread evenly, so their low bits choose the shard.
    private let shards: [Shard] = (0..<16).map { _ in Shard() }

    private final class Shard: Sendable {
        /// Guarded by its lock. Entries are freed outside of it.
        let entries = Lock<[UInt64: Entry]>([:])
    }

    func insert(_ id: UInt64, _ entry: Entry) {
        shard(id).entries.withLock { $0[id] = entry }
    }

    /// Removes the entry of a span, so that it is ended once.
    func remove(_ id: UInt64) -> Entry? {
        shard(id).entries.withLock { $0.removeValue(forKey: id) }
    }

    /// The context of an open span; nil if it has ended.
    func context(of id: UInt64) -> ServiceContext? {
        shard(id).entries.withLock { $0[id]?.context }
    }

    private func shard(_ id: UInt64) -> Shard {
        shards[Int(id & 15)]
    }
}
