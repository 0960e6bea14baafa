// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A store's state, guarded by the lock of its fan-out. It outlives the ``StateStore`` while a stream of the store
/// exists.
final class StateStorage<S: OwnedState>: Sendable {
    let fanout: StateFanout

    /// The state as of the last update that succeeded. Guarded by the lock of `fanout`.
    nonisolated(unsafe) private var state: S

    init(_ initial: S, instruments: StateFanout.Instruments?, onDiscarded: (@Sendable () -> Void)? = nil) {
        state = initial
        fanout = StateFanout(instruments: instruments, onDiscarded: onDiscarded)
    }

    var current: S {
        let entered = fanout.enter()
        defer { if entered { fanout.leave() } }
        return state
    }

    func update<R, E: Error>(_ delivery: StateDelivery, _ body: (inout S) throws(E) -> R) throws(E) -> R {
        guard fanout.enter() else { return try discard(body) }
        let start = fanout.sampleStart()
        let before = state
        var draft = before
        // The user's values are released only after the lock: a `deinit` may use this store.
        defer { withExtendedLifetime((before, draft)) {} }
        defer { fanout.leave() }
        let result = try body(&draft)
        if draft != before { commit(draft, delivery, since: start) }
        return result
    }

    func subscribe() -> StateCursor<S> {
        let subscription = fanout.exclusively { fanout.subscribe(current: StateSnapshot(state)) }
        return StateCursor(subscription, fanout: fanout)
    }

    private func commit(_ draft: S, _ delivery: StateDelivery, since start: Instant?) {
        state = draft
        if let start { fanout.noteMutation(since: start) }
        if fanout.noteUpdate() { fanout.publish(StateSnapshot(draft), delivery) }
    }

    /// Discards an update inside an update. No order of the two keeps both, because the outer one works on a copy made
    /// before. The outer one counts. The inner one runs on a copy, because its caller needs a result. It is reported,
    /// because a body that cannot throw has no other way to signal the mistake.
    private func discard<R, E: Error>(_ body: (inout S) throws(E) -> R) throws(E) -> R {
        fanout.noteDiscarded()
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
    // Unchecked because it can be subclassed; its one subclass is a `Sendable` constant.
    fileprivate init() {}
}

/// A published state.
final class StateSnapshot<S: OwnedState>: AnyStateSnapshot, @unchecked Sendable {
    let state: S

    init(_ state: S) {
        self.state = state
    }
}

extension AnyStateSnapshot {
    /// The state, for a caller that knows the type with which the snapshot was made. A store and its iterators know it,
    /// because a fan-out belongs to one store. Checked in debug builds.
    func state<S: OwnedState>(as type: S.Type) -> S {
        unsafeDowncast(self, to: StateSnapshot<S>.self).state
    }
}
