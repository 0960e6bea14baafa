// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A store's state, behind the lock of its fan-out. It outlives the ``StateStore`` while somebody holds its stream.
final class StateStorage<S: OwnedState>: Sendable {
    let fanout: StateFanout

    /// The state as of the last update that succeeded. Guarded by the lock of `fanout`.
    nonisolated(unsafe) private var state: S

    init(_ initial: S, instruments: StateFanout.Instruments?) {
        state = initial
        fanout = StateFanout(instruments: instruments)
    }

    var current: S {
        let entered = fanout.enter()
        defer { if entered { fanout.leave() } }
        return state
    }

    func update<R, E: Error>(_ delivery: StateDelivery, _ body: (inout S) throws(E) -> R) throws(E) -> R {
        guard fanout.enter() else { return try refuse(body) }
        defer { fanout.leave() }
        let start = fanout.sampleStart()
        let before = state
        var draft = before
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

    /// An update inside an update. There is no order of the two that keeps both: the outer one works on a copy made
    /// before. The outer one counts; this one gets a copy to run on, and the streams carry the error to the
    /// boundaries that observe them, because a body that cannot throw leaves no other way to say it.
    private func refuse<R, E: Error>(_ body: (inout S) throws(E) -> R) throws(E) -> R {
        fanout.end(.reentered)
        var discarded = state
        return try body(&discarded)
    }
}
