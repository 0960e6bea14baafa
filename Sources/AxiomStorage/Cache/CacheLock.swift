// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A lock for a value that is read much more often than it is changed. A reader takes the lock of its thread's shard only,
/// so that threads that read do not wait for each other. A change takes the locks of all shards: 4 to 64, in one order.
///
/// The lock of a shard also guards a cell, which readers of this shard may change.
@usableFromInline
struct CacheLock<Value: ~Copyable, Cell: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: `value` is read with one lock and changed with all of them.

    @usableFromInline
    struct Shard {
        @usableFromInline var cell: Cell
        /// Keeps the cells of two threads out of one pair of cache lines.
        private let padding: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)
        private let more: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)

        init(_ cell: Cell) { self.cell = cell }
    }

    @usableFromInline let shards: UnsafeMutablePointer<Lock<Shard>>
    private let count = Shards.count
    @usableFromInline let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value, cell: Cell) {
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
        shards = .allocate(capacity: count)
        for index in 0..<count { (shards + index).initialize(to: Lock(Shard(cell))) }
    }

    deinit {
        shards.deinitialize(count: count)
        shards.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads the value, and may change the cell of the calling thread's shard.
    @inlinable
    @inline(__always)
    func read<Result: Sendable>(_ body: (borrowing Value, inout Cell) -> Result) -> Result {
        shards[Shards.own].withLock { body(value.pointee, &$0.cell) }
    }

    /// Changes the value. Waits until no thread reads it.
    func change<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
        for index in 0..<count { shards[index].lock() }
        defer { for index in (0..<count).reversed() { shards[index].unlock() } }
        return body(&value.pointee)
    }

    /// Calls `body` with each cell, one after the other.
    func forEachCell(_ body: (inout Cell) -> Void) {
        for index in 0..<count { shards[index].withLock { body(&$0.cell) } }
    }
}
