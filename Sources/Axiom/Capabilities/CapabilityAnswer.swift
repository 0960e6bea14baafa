// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The result of ``CapabilityRef/answer(orCached:isolation:_:)``: from the capability, or else from a cache, or nothing.
public enum CapabilityAnswer<Value: Sendable>: Sendable {
    /// From the capability, just now.
    case fresh(Value)
    /// The last answer of the capability, and its age.
    case cached(Value, staleness: Duration)
    /// There is no answer. The reason is a clause for people.
    case empty(reason: String)

    /// The value, fresh or cached; nil if there is none.
    public var value: Value? {
        switch self {
        case .fresh(let value), .cached(let value, _): value
        case .empty: nil
        }
    }
}

/// The last answer of a capability to one question, to serve while the capability cannot answer.
///
/// Use one cache per question. It can be passed to ``Orchestrator/relieve(with:)``: it then drops its value when memory
/// is critically short.
public final class CapabilityCache<Value: Sendable>: PressureRelieving {
    private struct Entry: Sendable {
        let value: Value
        let storedAt: Instant
    }

    /// A previous value is released outside the lock, because its deinit may be user code.
    private let entry = Lock<Entry?>(nil)
    private let maximumAge: Duration?
    /// Nil until an answer was stored by a capability whose clock the cache takes.
    private let ownClock: TimeSource?
    private let adoptedClock = Lock<TimeSource?>(nil)
    private var clock: TimeSource { ownClock ?? adoptedClock.withLock { $0 } ?? .live }

    /// Makes an empty cache.
    ///
    /// - Parameters:
    ///   - maximumAge: The maximum age of a value that is served, inclusive; nil for any age.
    ///   - clock: The clock that measures the age; by default that of the orchestrator whose capability answers.
    public init(maximumAge: Duration? = nil, clock: TimeSource? = nil) {
        self.maximumAge = maximumAge
        ownClock = clock
    }

    /// Takes the clock of the capability that is asked, unless the cache has one of its own. The first capability decides.
    func adopt(_ clock: TimeSource) {
        guard ownClock == nil else { return }
        adoptedClock.withLock { $0 = $0 ?? clock }
    }

    /// The stored value and its age; nil if there is none or if it is too old.
    public var current: (value: Value, staleness: Duration)? {
        guard let entry = entry.withLock({ $0 }) else { return nil }
        let age = max(.zero, clock.now.duration(since: entry.storedAt))
        if let maximumAge, age > maximumAge { return nil }
        return (entry.value, age)
    }

    /// Stores a value.
    public func store(_ value: Value) { replace(Entry(value: value, storedAt: clock.now)) }

    /// Stores a value of a certain age, for example one that was loaded from a file, unless there is a newer one.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - age: How long ago it was the answer of the capability. A negative age counts as 0.
    public func store(_ value: Value, age: Duration) {
        var next: Entry? = Entry(value: value, storedAt: clock.now.advanced(by: .zero - max(.zero, age)))
        entry.withLock { entry in
            guard let present = entry, let loaded = next, present.storedAt >= loaded.storedAt else {
                return swap(&entry, &next)
            }
        }
        withExtendedLifetime(next) {}
    }

    /// The clock that measures the age.
    package var timeSource: TimeSource { clock }

    /// Drops the value.
    public func removeValue() { replace(nil) }

    /// Drops the value if memory is critically short.
    ///
    /// - Returns: 0: the size of a value is not known.
    public func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        if resource == .memory, pressure == .critical { removeValue() }
        return 0
    }

    private func replace(_ next: Entry?) {
        var next = next
        entry.withLock { swap(&$0, &next) }
        withExtendedLifetime(next) {}
    }
}
