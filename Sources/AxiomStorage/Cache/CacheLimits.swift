// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The limits of a ``Cache``.
public struct CacheLimits: Sendable, Hashable {
    /// The largest number of entries: 1 to 16,777,216.
    public var entries: Int
    /// The age up to which a value is fresh, inclusive: longer than 0.
    public var lifetime: Duration
    /// How much longer a value is kept, to be served as stale: 0 or longer.
    public var staleLifetime: Duration

    /// Sets limits. They are checked by the cache.
    public init(entries: Int = 100, lifetime: Duration = .seconds(300), staleLifetime: Duration = .zero) {
        self.entries = entries
        self.lifetime = lifetime
        self.staleLifetime = staleLifetime
    }

    static let maximumEntries = 1 << 24

    /// What is wrong with the limits.
    var problems: [String] {
        var problems: [String] = []
        if !(1...Self.maximumEntries).contains(entries) {
            problems.append("entries is \(entries), not 1 to \(Self.maximumEntries)")
        }
        if lifetime <= .zero { problems.append("lifetime is \(lifetime), not longer than 0") }
        if staleLifetime < .zero { problems.append("staleLifetime is \(staleLifetime), not 0 or longer") }
        return problems
    }
}

/// What the entries of a ``Cache`` cost, and the limit of their sum.
public struct CacheCost<Key: Sendable, Value: Sendable>: Sendable {
    let limit: Int
    let isBytes: Bool
    let of: @Sendable (Key, Value) -> Int

    static var maximum: Int { 1 << 60 }

    /// Costs in bytes. When memory runs short, the cache reports how many bytes it freed.
    ///
    /// - Parameters:
    ///   - limit: The largest sum of costs: 1 to 2^60.
    ///   - cost: The cost of an entry. A negative cost counts as 0. Called once for each value that is stored, on the
    ///     thread that stores it, outside of any lock.
    public static func bytes(_ limit: Int, _ cost: @escaping @Sendable (Key, Value) -> Int) -> CacheCost {
        CacheCost(limit: limit, isBytes: true, of: cost)
    }

    /// Costs in another unit, as ``bytes(_:_:)``.
    public static func units(_ limit: Int, _ cost: @escaping @Sendable (Key, Value) -> Int) -> CacheCost {
        CacheCost(limit: limit, isBytes: false, of: cost)
    }

    var problems: [String] {
        (1...Self.maximum).contains(limit) ? [] : ["the limit of costs is \(limit), not 1 to 2^60"]
    }
}

/// A cache was made with limits or a name that are not valid.
public struct CacheError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func invalid(_ name: String, _ problems: [String]) -> Self {
        let list = problems.joined(separator: "; ")
        return CacheError(.invalidCacheLimit, "The cache \(name) is not valid: \(list).")
    }
}
