// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import Synchronization

/// Caches handlers by the exact arguments of the call, so that a repeated call costs one look-up, without sorting,
/// renaming, the family or a lock.
///
/// A series has many spellings, of which at most ``spellings`` are cached, and none with more than ``maximumKeyLength``
/// bytes. The limits of the families therefore bound the cache too.
final class HandlerCache<Handler: SeriesHandler>: Sendable {
    /// Enough for all orders of three dimensions.
    static var spellings: Int { 8 }
    /// The most bytes of a cached key.
    static var maximumKeyLength: Int { 2_048 }

    /// The state that a look-up saw, for a following insertion.
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

    /// All threads look up; changes need the lock of `entries`.
    private let table: ByteTable<Entry>
    /// The entries of each instrument. The lock is held for changes.
    private let entries = Lock<[ObjectIdentifier: [Entry]]>([:])
    /// Incremented under the lock of `entries`, before entries are removed from the table.
    private let removals = Atomic<UInt64>(0)

    init(_ epochs: ReadEpochs) {
        table = ByteTable(epochs)
    }

    /// The cached handler of this key.
    func find(_ key: UnsafeRawBufferPointer) -> (Handler?, Ticket) {
        // Before the look-up, so that the insertion notices a later removal.
        let removals = removals.load(ordering: .acquiring)
        let hash = table.hash(key)
        return (table.find(key, hash: hash) { $0.handler }, Ticket(hash: hash, removals: removals))
    }

    /// Caches a handler, unless entries were removed since the look-up: they may include this one.
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

    /// Removes all entries of an instrument.
    func remove(_ child: Instrument) {
        entries.withLock { entries in
            removals.wrappingAdd(1, ordering: .releasing)
            for entry in entries.removeValue(forKey: ObjectIdentifier(child)) ?? [] { _ = table.remove(entry) }
        }
    }
}

/// The arguments of a call as bytes: the label, then the name and value of each dimension in the given order.
enum CallKey {
    // Neither byte occurs in UTF-8, so different arguments have different bytes.
    private static let beforeName: UInt8 = 0xff
    private static let beforeValue: UInt8 = 0xfe

    /// Passes the bytes to `body`, on the stack if they are few.
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

    /// Writes a text at `start` and returns its end.
    @inline(__always)
    private static func put(_ text: String, _ buffer: UnsafeMutableRawBufferPointer, _ start: Int) -> Int {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
        let isCopied: Void? = text.utf8.withContiguousStorageIfAvailable { rest.copyMemory(from: .init($0)) }
        if isCopied == nil { rest.copyBytes(from: text.utf8) }
        return start + text.utf8.count
    }
}
