// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import Synchronization

/// A value from a ``Cache``, with its age.
public struct CachedValue<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// The time since it was stored.
    public let age: Duration
    /// Whether it is older than ``CacheLimits/lifetime``.
    public let isStale: Bool
}

/// What is loaded: a key in an epoch, so that a request after a change does not join a load from before it.
struct CacheFlight<Key: Hashable & Sendable>: Hashable, Sendable {
    let hash: UInt64
    let epoch: UInt32
    let key: Key

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Cache {
    /// The value of a key with its age, fresh or stale; nil if there is none.
    ///
    /// Counts as a hit, a stale hit or a miss.
    public func lookup(_ key: Key) -> CachedValue<Value>? {
        let now = clock.now.nanoseconds
        let entry = find(key, Self.hash(key), now)
        if let entry, let cached = cached(entry, now) {
            if cached.isStale { count(isStale: true) }
            return cached
        }
        _ = missed(entry, now)
        return nil
    }

    /// The fresh value of a key, or else the value that `load` returns, which is stored.
    ///
    /// Concurrent callers share one load. Each of them can be cancelled alone and then returns at once; if all are
    /// cancelled, the load is. An error is not stored: the next caller loads again. Keys are compared under the lock of
    /// the loads, which no hit takes.
    ///
    /// - Throws: The error of the load; `CancellationError` as soon as the calling task is cancelled; `LifecycleError` if
    ///   a load waits for itself.
    @inlinable
    public nonisolated(nonsending) func value(
        for key: Key,
        orLoad load: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (now, hash) = (clock.now.nanoseconds, Self.hash(key))
        if let entry = find(key, hash, now), now &- entry.storedAt <= lifetime { return entry.value }
        return try await valueAfterMiss(key, hash, load)
    }

    /// The best answer that is available: the fresh value, or else the one that `load` returns, or else the stale value if the
    /// load fails, or else the reason why there is none. A value from the cache comes with its age.
    ///
    /// To handle the error of a load, use ``value(for:orLoad:)``, and ``lookup(_:)`` after it for the stale value.
    public nonisolated(nonsending) func answer(
        for key: Key,
        orLoad load: @escaping @Sendable () async throws -> Value
    ) async -> CapabilityAnswer<Value> {
        let (now, hash) = (clock.now.nanoseconds, Self.hash(key))
        if let entry = find(key, hash, now), now &- entry.storedAt <= lifetime, let cached = cached(entry, now) {
            return .cached(cached.value, staleness: cached.age)
        }
        do {
            let value = try await self.load(key, hash, load)
            count(isStale: false)
            return .fresh(value)
        } catch {
            return substitute(for: error, key, hash)
        }
    }

    /// The stored value in place of the error of a load. A value that became fresh while the load ran is served as well.
    private func substitute(for error: any Error, _ key: Key, _ hash: UInt64) -> CapabilityAnswer<Value> {
        let now = clock.now.nanoseconds
        let entry = peek(key, hash)
        guard !Task.isCancelled, let entry, let cached = cached(entry, now) else {
            _ = missed(entry, now)
            return .empty(reason: String(clause: error))
        }
        count(isStale: true)
        return .cached(cached.value, staleness: cached.age)
    }

    @usableFromInline
    nonisolated(nonsending) func valueAfterMiss(
        _ key: Key,
        _ hash: UInt64,
        _ load: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        count(isStale: false)
        do {
            return try await self.load(key, hash, load)
        } catch {
            if let entry = peek(key, hash) { expire(entry, clock.now.nanoseconds) }
            throw error
        }
    }

    /// Joins the load of a key, or begins it.
    private nonisolated(nonsending) func load(
        _ key: Key,
        _ hash: UInt64,
        _ load: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let start = clock.now
        defer { signals?.loaded(nanoseconds: clock.now.nanoseconds(since: start)) }
        let epoch = machine.read { machine, _ in machine.epoch(hash) }
        return try await flights.value(for: CacheFlight(hash: hash, epoch: epoch, key: key)) { [self] in
            // A load that ended since the caller looked has stored a value.
            let now = clock.now.nanoseconds
            if let entry = peek(key, hash), now &- entry.storedAt <= lifetime { return entry.value }
            loads.add(1, ordering: .relaxed)
            do {
                let value = try await load()
                put(value, for: key, epoch: epoch)
                return value
            } catch {
                failedLoads.add(1, ordering: .relaxed)
                throw error
            }
        }
    }

    /// The entry of a key. Counts nothing.
    private func peek(_ key: Key, _ hash: UInt64) -> Entry? {
        machine.read { machine, _ in machine.entries(hash) }.first { $0.key == key }
    }

    /// Nil if the entry is too old to be served.
    private func cached(_ entry: Entry, _ now: Int64) -> CachedValue<Value>? {
        let age = max(0, now &- entry.storedAt)
        guard age <= keptLifetime else { return nil }
        return CachedValue(value: entry.value, age: .nanoseconds(age), isStale: age > lifetime)
    }
}
