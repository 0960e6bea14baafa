// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The limits of a ``Prefetcher``. The initializer of the prefetcher checks them.
public struct PrefetchBudget: Sendable, Hashable {
    /// How many loaders run at once: 1...16. Default: 4. The screen loads what a route requires beyond that. A loader that
    /// ignores its cancellation counts until it returns.
    public var loadsAtOnce = 4
    /// How long a loader may run before it is cancelled: 1 ms...10 min. Default: 10 s. It does not apply once a screen
    /// waits for the value.
    public var timeLimit = Duration.seconds(10)
    /// How many values wait for a screen: 1...1,000. Default: 20. A further value replaces the oldest one. The budget
    /// counts values and not bytes, because the size of a value of any type is not known.
    public var keptValues = 20
    /// How long a value waits for a screen: 1 ms...1 h. Default: 60 s. A value is never used when it is older.
    public var lifetime = Duration.seconds(60)

    /// Creates the default limits.
    public init() {}

    /// What is out of range, one sentence each.
    var problems: [String] {
        let counts = [("loadsAtOnce", loadsAtOnce, 1...16), ("keptValues", keptValues, 1...1_000)]
        let times = [
            ("timeLimit", timeLimit.inSeconds, 0.001...600, "1 ms...10 min"),
            ("lifetime", lifetime.inSeconds, 0.001...3_600, "1 ms...1 h"),
        ]
        let wrongCounts = counts.filter { !$0.2.contains($0.1) }.map { name, value, range in
            "\(name) is \(value); it has to be in \(range.lowerBound)...\(range.upperBound)"
        }
        let wrongTimes = times.filter { !$0.2.contains($0.1) }.map { name, seconds, _, range in
            "\(name) is \(seconds) s; it has to be in \(range)"
        }
        return wrongCounts + wrongTimes
    }
}

/// The loads of a ``Prefetcher`` since it was made, read at one instant.
///
/// At every instant `begun = used + failed + dropped + loading + kept`. Only ``loading`` and ``kept`` can decrease.
public struct PrefetchCounts: Sendable, Hashable {
    /// Loads that began.
    package internal(set) var begun = 0
    /// Loads that ended with a value.
    public internal(set) var loaded = 0
    /// Values that a screen got.
    public internal(set) var used = 0
    /// Loads that threw or exceeded the time limit.
    public internal(set) var failed = 0
    /// Loads that were cancelled because their route is not shown any more, and values that no screen wanted in time.
    public internal(set) var dropped = 0
    /// Loads that run.
    package internal(set) var loading = 0
    /// Values that wait for a screen.
    public internal(set) var kept = 0

    mutating func add(_ outcome: PrefetchOutcome) {
        switch outcome {
        case .loaded: loaded += 1
        case .used: used += 1
        case .failed: failed += 1
        case .dropped: dropped += 1
        }
    }
}

/// Loads the values of keys of one type.
///
/// ```swift
/// let loader = PrefetchLoader { (key: ProductKey) in try await shop.product(key.id) }
/// ```
public struct PrefetchLoader: Sendable {
    let keyType: any PrefetchKey.Type
    /// Loads the value of a key of ``keyType``.
    let load: @Sendable (any PrefetchKey) async throws -> any Sendable

    /// Loads the values of keys of the type `K`.
    public init<K: PrefetchKey>(_ type: K.Type = K.self, load: @escaping @Sendable (K) async throws -> K.Value) {
        keyType = type
        self.load = { key in
            guard let key = key as? K else { throw NavigationError.prefetch("\(key) is no \(K.self)") }
            return try await load(key)
        }
    }
}
