// SPDX-License-Identifier: Apache-2.0

/// The version of the state in a ``StateStore``: how many changes led to it.
///
/// The initial state has version 0. Each published change increases the version by one, and a result equal to the
/// previous state does not. Compare versions of one store only.
public struct StateVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of changes that led to the state.
    public internal(set) var number: UInt64
    /// How many of these changes were published as ``StateDelivery/critical``.
    var criticals: UInt64

    static let initial = StateVersion(number: 0, criticals: 0)

    /// The version after one more change.
    func next(_ delivery: StateDelivery) -> StateVersion {
        StateVersion(number: number &+ 1, criticals: delivery == .critical ? criticals &+ 1 : criticals)
    }

    /// Whether `left` is the version of an earlier state of the same store.
    public static func < (left: StateVersion, right: StateVersion) -> Bool { left.number < right.number }

    /// The number of changes.
    public var description: String { "\(number)" }
}

/// A state changed while an operation relied on it.
public struct StateConflict: Hashable, Sendable {
    /// The version on which the operation relied.
    public let expected: StateVersion
    /// The version that the store had instead.
    public let actual: StateVersion
}

extension StateStore {
    /// The version of the current state. Waits for an update in progress on another thread.
    public var version: StateVersion { storage.versioned.version }

    /// The current state and its version, read together.
    package var versioned: (state: S, version: StateVersion) { storage.versioned }

    /// Changes the state if it still has the version `expected`, and publishes the result like ``update(_:_:)``.
    ///
    /// The comparison and the change are one atomic step. Use it after an `await` in a client: another action may have
    /// changed the state while this one was suspended.
    ///
    /// - Parameters:
    ///   - expected: The version on which the change relies.
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - body: Changes the state that it receives. Not called if the version differs.
    /// - Returns: What `body` returns.
    /// - Throws: ``StateError`` with the code ``ErrorCode/staleState`` and both versions in ``StateError/conflict``;
    ///   the error of `body`.
    public func update<R>(
        ifVersion expected: StateVersion,
        _ delivery: StateDelivery = .latest,
        _ body: (inout S) throws -> R
    ) throws -> R {
        try storage.update(delivery, ifVersion: expected, body).get()
    }

    /// Reads the state, does asynchronous work with it, and changes the state only if it has not changed in between.
    ///
    /// ```swift
    /// case .refresh:
    ///     try await store.withStateValidation { cart in
    ///         try await prices.current(for: cart.items)
    ///     } apply: { cart, prices in
    ///         cart.total = prices.total
    ///     }
    /// ```
    /// - Parameters:
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - work: Receives the state and runs without a lock. It stays on the caller's actor.
    ///   - apply: Changes the state with the result of `work`.
    /// - Returns: What `apply` returns.
    /// - Throws: ``StateError`` with the code ``ErrorCode/staleState`` if the state changed while `work` ran; the error
    ///   of `work` or `apply`.
    public func withStateValidation<Value: Sendable, R>(
        _ delivery: StateDelivery = .latest,
        isolation: isolated (any Actor)? = #isolation,
        _ work: (S) async throws -> Value,
        apply: (inout S, Value) throws -> R
    ) async throws -> R {
        let start = storage.versioned
        let value = try await work(start.state)
        return try update(ifVersion: start.version, delivery) { try apply(&$0, value) }
    }

    /// Reads the state, does asynchronous work with it, and changes the state only if it has not changed in between.
    /// Otherwise it calls `handleStateChange`, which decides what becomes of the result.
    ///
    /// - Parameters:
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - work: Receives the state and runs without a lock. It stays on the caller's actor.
    ///   - apply: Changes the state with the result of `work`.
    ///   - handleStateChange: Receives both versions and the result of `work`. It may merge the result in an update, or
    ///     discard it.
    /// - Returns: What `apply` or `handleStateChange` returns.
    /// - Throws: The error of one of the three closures.
    public func withStateValidation<Value: Sendable, R>(
        _ delivery: StateDelivery = .latest,
        isolation: isolated (any Actor)? = #isolation,
        _ work: (S) async throws -> Value,
        apply: (inout S, Value) throws -> R,
        handleStateChange: (StateConflict, Value) async throws -> R
    ) async throws -> R {
        let start = storage.versioned
        let value = try await work(start.state)
        switch try storage.update(delivery, ifVersion: start.version, { try apply(&$0, value) }) {
        case .success(let result): return result
        case .failure(let stale):
            guard let conflict = stale.conflict else { throw stale }
            return try await handleStateChange(conflict, value)
        }
    }
}
