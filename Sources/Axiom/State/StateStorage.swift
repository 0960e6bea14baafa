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
