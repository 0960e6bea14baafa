// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Synchronization

/// Handlers by the very words that were used to ask for them, so that asking again costs one look-up: no sorting, no
/// renaming, no family, and no lock.
///
/// A series can be asked for in many words, of which at most ``spellings`` are remembered, and none that take more than
/// ``maximumKeyLength`` bytes: the cache is bounded as the families are.
final class HandlerCache<Handler: SeriesHandler>: Sendable {
    /// Enough for all orders of three dimensions.
    static var spellings: Int { 8 }
    /// The most bytes of the words that are remembered.
    static var maximumKeyLength: Int { 2_048 }

    /// What a look-up has seen, for the insertion that follows it.
    struct Ticket {
        fileprivate let hash: UInt64
        fileprivate let removals: UInt64
    }

    private final class Entry: ByteKeyed {
        let tableKey: [UInt8]
        let handler: Handler

        init(_ key: UnsafeRawBufferPointer, _ handler: Handler) {
            tableKey = [UInt8](key)
            self.handler = handler
        }
    }

    /// Looked up by all threads; changed under the lock of `entries` only.
    private let table: ByteTable<Entry>
    /// The entries by which each instrument is found. Guarded by its lock, which is held for changes.
    private let entries = Lock<[ObjectIdentifier: [Entry]]>([:])
    /// Grows under the lock of `entries`, before a removal takes entries out of the table.
    private let removals = Atomic<UInt64>(0)

    init(_ epochs: ReadEpochs) {
        table = ByteTable(epochs)
    }

    /// The handler that was asked for in these words before.
    func find(_ key: UnsafeRawBufferPointer) -> (Handler?, Ticket) {
        // Before the look-up: a removal that comes after this is found by the insertion.
        let removals = removals.load(ordering: .acquiring)
        let hash = table.hash(key)
        return (table.find(key, hash: hash) { $0.handler }, Ticket(hash: hash, removals: removals))
    }

    /// Remembers a handler, unless something was removed since the ticket was drawn: it might have been this one.
    func insert(_ handler: Handler, _ key: UnsafeRawBufferPointer, _ ticket: Ticket) {
        guard key.count <= Self.maximumKeyLength else { return }
        let child = ObjectIdentifier(handler.series.child)
        let entry = Entry(key, handler)
        entries.withLock { entries in
            guard removals.load(ordering: .relaxed) == ticket.removals, table.find(key, hash: ticket.hash) == nil,
                entries[child, default: []].count < Self.spellings
            else { return }
            table.insert(entry, hash: ticket.hash)
            entries[child, default: []].append(entry)
        }
    }

    /// Forgets all that leads to an instrument.
    func remove(_ child: Instrument) {
        entries.withLock { entries in
            removals.wrappingAdd(1, ordering: .releasing)
            for entry in entries.removeValue(forKey: ObjectIdentifier(child)) ?? [] { _ = table.remove(entry) }
        }
    }
}

/// The words with which a handler is asked for, as bytes in a row: the label, then each dimension's name and value in
/// the order in which they are given.
enum CallKey {
    // Neither byte occurs in UTF-8, so that different words are different bytes.
    private static let beforeName: UInt8 = 0xff
    private static let beforeValue: UInt8 = 0xfe

    /// Lends the bytes to `body`; on the stack where they are few.
    @inline(__always)
    static func withBytes<Result>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var size = label.utf8.count
        for (name, value) in dimensions { size += name.utf8.count + value.utf8.count + 2 }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            var end = put(label, buffer, 0)
            for (name, value) in dimensions {
                buffer[end] = beforeName
                end = put(name, buffer, end + 1)
                buffer[end] = beforeValue
                end = put(value, buffer, end + 1)
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<end]))
        }
    }

    /// Writes a text at `start`; returns where it ends.
    @inline(__always)
    private static func put(_ text: String, _ buffer: UnsafeMutableRawBufferPointer, _ start: Int) -> Int {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { rest.copyMemory(from: .init($0)) }
        if isCopied == nil { rest.copyBytes(from: text.utf8) }
        return start + text.utf8.count
    }
}
