// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A store's state, guarded by the lock of its fan-out. It outlives the ``StateStore`` while a stream of it exists.
final class StateStorage<S: OwnedState>: StateFanout, @unchecked Sendable {
    // Unchecked because the lock guards the state.

    /// The state as of the last update that succeeded. Guarded by the lock.
    private var state: S

    init(_ initial: S, instruments: StateFanout.Instruments?, owner: StoreOwner? = nil) {
        state = initial
        super.init(instruments: instruments, owner: owner)
    }

    override var stateType: String { "\(S.self)" }
    override var numberedState: (state: any OwnedState, update: UInt64) { exclusively { (state, version.number) } }

    var current: S {
        let entered = enter()
        defer { if entered { leave() } }
        return state
    }

    func update<R, E: Error>(_ delivery: StateDelivery, _ body: (inout S) throws(E) -> R) throws(E) -> R {
        guard enter() else { return try discard(body) }
        var effects = StateEffects()
        let start = sampleStart()
        let before = state
        var draft = before
        // The user's values are released only after the lock: a `deinit` may use this store.
        defer { withExtendedLifetime((before, draft)) {} }
        defer { leave(&effects) }
        let result = try body(&draft)
        if draft != before { commit(draft, delivery, since: start, &effects) }
        return result
    }

    /// The state and its version, read together.
    var versioned: (state: S, version: StateVersion) { exclusively { (state, version) } }

    /// Changes the state if it has the version `expected`. Otherwise it returns the error, which was counted.
    func update<R>(
        _ delivery: StateDelivery,
        ifVersion expected: StateVersion,
        _ body: (inout S) throws -> R
    ) throws -> Result<R, StateError> {
        let result = try update(delivery) { draft throws -> Result<R, StateError> in
            let actual = version
            guard actual.number == expected.number else { return .failure(.stale(S.self, expected, actual)) }
            return .success(try body(&draft))
        }
        if case .failure = result { owner?.updateRefused() }
        return result
    }

    func subscribe(by component: ComponentDescriptor? = nil) -> StateCursor<S> {
        let subscription = changing { effects in
            var buffer = Subscription.Buffer()
            _ = buffer.append(.current(StateSnapshot(state, version)))
            return subscribe(buffer, by: component, &effects)
        }
        return StateCursor(subscription, fanout: self)
    }

    /// Subscribes at the position of `reader`: first the critical states that it has not acknowledged, then the current
    /// state, unless it has acknowledged that one.
    ///
    /// - Returns: The subscription, and how many critical states the journal has lost for the reader.
    func subscribe(at reader: StateReader, by component: ComponentDescriptor?) -> (StateCursor<S>, lost: UInt64) {
        let (subscription, lost) = changing { effects in
            var (buffer, missed) = (Subscription.Buffer(), reader.missed())
            for element in missed.elements { _ = buffer.append(.missed(element)) }
            let newest = missed.elements.last?.version ?? reader.acknowledged
            if newest.map({ $0 < version }) ?? true {
                _ = buffer.append(.current(StateSnapshot(state, version)))
            }
            return (subscribe(buffer, by: component, &effects), missed.lost)
        }
        return (StateCursor(subscription, fanout: self), lost)
    }

    private func commit(_ draft: S, _ delivery: StateDelivery, since start: Instant?, _ effects: inout StateEffects) {
        state = draft
        if let start { noteMutation(since: start, &effects) }
        let (isInspected, hasSubscribers) = (isInspected, noteUpdate(delivery, &effects))
        guard isInspected || hasSubscribers else { return }
        let snapshot = StateSnapshot(draft, version)
        if isInspected { effects.inspected = snapshot }
        if hasSubscribers { publish(snapshot, delivery, &effects) }
    }

    /// Discards an update inside an update. No order of the two keeps both, because the outer one works on a copy made
    /// before. The outer one counts. The inner one runs on a copy, because its caller needs a result. It is reported,
    /// because a body that cannot throw has no other way to signal the mistake.
    private func discard<R, E: Error>(_ body: (inout S) throws(E) -> R) throws(E) -> R {
        noteDiscarded()
        var discarded = state
        return try body(&discarded)
    }
}

/// A published state with its type erased: one allocation, shared by the buffers of all subscribers.
///
/// Type erasure keeps the code between the store and the iterator free of generics, so it is compiled as it stands.
/// Generic code that users instantiate in their own modules looks up its types at run time. In measurements, that
/// raised the cost of an update with ten subscribers from 1 µs to 6 µs.
class AnyStateSnapshot: @unchecked Sendable {
    /// The version of the store that the state has.
    let version: StateVersion

    // Unchecked because it can be subclassed; its one subclass is a `Sendable` constant.
    fileprivate init(_ version: StateVersion) { self.version = version }

    /// The state, for a reader that does not know its type.
    var anyState: any OwnedState { NoState() }
}

/// The state of a snapshot without a type, which does not exist.
struct NoState: OwnedState {}

/// A published state.
final class StateSnapshot<S: OwnedState>: AnyStateSnapshot, @unchecked Sendable {
    let state: S

    init(_ state: S, _ version: StateVersion = .initial) {
        self.state = state
        super.init(version)
    }

    override var anyState: any OwnedState { state }
}

extension AnyStateSnapshot {
    /// The state, for a caller that knows the type with which the snapshot was made. A store and its iterators know it,
    /// because a fan-out belongs to one store. Checked in debug builds.
    func state<S: OwnedState>(as type: S.Type) -> S {
        unsafeDowncast(self, to: StateSnapshot<S>.self).state
    }
}

extension Subscription.Entry {
    /// The state with which a subscription begins.
    fileprivate static func current(_ snapshot: AnyStateSnapshot) -> Self {
        Self(element: snapshot, isCritical: false, publishedAt: nil)
    }

    /// A critical state from the journal.
    fileprivate static func missed(_ snapshot: AnyStateSnapshot) -> Self {
        Self(element: snapshot, isCritical: true, publishedAt: nil)
    }
}
