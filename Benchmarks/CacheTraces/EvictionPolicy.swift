// SPDX-License-Identifier: Apache-2.0

package import AxiomStorage

/// Chooses which entries of a full cache are evicted.
///
/// Entries are known by the index of their slot. The owner keeps keys, values and limits: it evicts until there is room,
/// and then inserts an entry. The cost of an entry is in the unit of the capacity.
package protocol EvictionPolicy: ~Copyable {
    /// Creates a policy without entries.
    ///
    /// - Parameter capacity: The cost of all entries of a full cache, at least 1.
    init(capacity: Int)

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - slot: The index, at least 0, which no other entry has now. Memory is proportional to the largest index.
    ///   - hash: The hash of its key, by which the policy can remember an entry that was evicted.
    ///   - cost: Its cost, at least 1 and at most the capacity.
    mutating func insert(_ slot: Int, hash: UInt64, cost: Int)

    /// The entry was read.
    mutating func hit(_ slot: Int)

    /// The owner removes an entry.
    mutating func remove(_ slot: Int)

    /// Chooses an entry and removes it. Returns nil if there is none.
    mutating func evict() -> Int?
}

extension S3FIFOPolicy: EvictionPolicy {}
