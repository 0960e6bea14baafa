// SPDX-License-Identifier: Apache-2.0

/// Why an entry left a ``Cache``.
package enum CacheRemoval: String, Sendable, Hashable, CaseIterable {
    /// The cache was full, and its policy chose the entry.
    case capacity
    /// The entry was too old to be served.
    case expired
    /// The entry was evicted because memory ran short.
    case pressure
    /// A newer value for its key was stored.
    case replaced
    /// The program removed it.
    case removed
}

/// What a ``Cache`` did since it was made. `insertions` is the sum of `entries` and all `removals`.
package struct CacheStatistics: Sendable, Hashable {
    /// The requests that got a fresh value from the cache.
    package internal(set) var hits: UInt64 = 0
    /// The requests that got a stale value.
    package internal(set) var staleHits: UInt64 = 0
    /// All other requests.
    package internal(set) var misses: UInt64 = 0
    /// The loads that began.
    package internal(set) var loads: UInt64 = 0
    /// The loads that threw an error.
    package internal(set) var failedLoads: UInt64 = 0
    /// The values that were stored.
    package internal(set) var insertions: UInt64 = 0
    /// The entries that left, by reason.
    package internal(set) var removals: [CacheRemoval: UInt64] = [:]
    /// The number of entries now.
    package internal(set) var entries = 0
    /// The sum of their costs now; 0 without a ``CacheCost``.
    package internal(set) var cost = 0
}

/// The requests that the threads of one shard made.
@usableFromInline
struct CacheRequests: Sendable {
    @usableFromInline var hits: UInt64 = 0
    var staleHits: UInt64 = 0
    var misses: UInt64 = 0
    /// The hits that the signal does not have yet.
    @usableFromInline var pendingHits = 0
    /// When the signal got the hits, in nanoseconds.
    @usableFromInline var reportedAt = Int64.min / 2

    /// Counts a hit. Returns how many hits the signal has to get now: each of the first 64, then one in 64 or in a second.
    @inlinable
    @inline(__always)
    mutating func countHit(at now: Int64) -> Int {
        hits &+= 1
        pendingHits &+= 1
        guard pendingHits >= 64 || hits <= 64 || now &- reportedAt > 1_000_000_000 else { return 0 }
        reportedAt = now
        return takePending()
    }

    /// The hits that the signal does not have yet, which it gets now.
    @usableFromInline
    mutating func takePending() -> Int {
        defer { pendingHits = 0 }
        return pendingHits
    }
}
