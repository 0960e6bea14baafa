// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The subscription that the copies of one iterator share. It ends when the last copy is released.
final class StateCursor<S: OwnedState>: Sendable {
    private let subscription: Subscription
    private let fanout: StateFanout

    init(_ subscription: Subscription, fanout: StateFanout) {
        self.subscription = subscription
        self.fanout = fanout
    }

    deinit { leave() }

    var isOpen: Bool { subscription.isOpen }

    /// Whether a state waits to be taken.
    var hasPending: Bool { subscription.reading.pending > 0 }

    var isParked: Bool { subscription.isParked }

    /// The oldest pending state; nil at the end.
    func next(isolation: isolated (any Actor)?) async throws(StateError) -> S? {
        try await take(.one, isolation: isolation)?.latest.state(as: S.self)
    }

    /// The pending states; nil at the end.
    ///
    /// - Parameter onPark: Called on the actor before each wait, without a suspension in between.
    func take(
        _ amount: Subscription.Machine.Amount,
        isolation: isolated (any Actor)?,
        onPark: @Sendable () -> Void = {}
    ) async throws(StateError) -> Subscription.Buffer.Taken? {
        if Task.isCancelled { leave() }
        switch await subscription.take(amount, isolation: isolation, onPark: onPark, onCancel: { self.leave() }) {
        case .deliver(let taken):
            report(taken)
            return taken
        case .end(.stalled(let pending)): throw .subscriberStalled(S.self, pending: pending)
        case .busy: throw .concurrentIteration(S.self)
        case .end(.finished), .wait: return nil
        }
    }

    private func leave() {
        subscription.abandon()
        fanout.remove(subscription)
    }

    private func report(_ taken: Subscription.Buffer.Taken) {
        guard let instruments = fanout.instruments else { return }
        if taken.newlyCoalesced > 0 { instruments.probe.statesCoalesced(taken.newlyCoalesced) }
        guard let oldest = taken.oldest else { return }
        instruments.probe.statePropagated(nanoseconds: instruments.clock.now.nanoseconds(since: oldest))
    }
}

/// The position of one subscriber in the critical states of a store. It outlasts the subscriptions of the subscriber,
/// and keeps the critical states after it in the journal of the store.
final class StateReader: Sendable {
    let fanout: StateFanout
    private let id: UInt64
    /// The last state that the subscriber processed; nil if it has processed none. Never goes back.
    private let position: Lock<StateVersion?>
    /// The number of the critical states that preceded the reader.
    private let opened: UInt64

    /// Makes a reader at `version`, or at the current version.
    ///
    /// - Parameter version: The version that the subscriber has processed. Nil: it has processed none, and starts with
    ///   the current state.
    init(_ fanout: StateFanout, after version: StateVersion? = nil) {
        self.fanout = fanout
        position = Lock(version)
        (id, opened) = fanout.openReader(after: version)
    }

    deinit { fanout.closeReader(id) }

    /// The last state that the subscriber processed; nil if it has processed none.
    var acknowledged: StateVersion? { position.withLock { $0 } }

    /// Notes that the subscriber has processed the state of `version` and all before it.
    func acknowledge(_ version: StateVersion) {
        let isCritical = position.withLock { position -> Bool in
            if let position, position >= version { return false }
            defer { position = version }
            return version.criticals > position?.criticals ?? opened
        }
        if isCritical { fanout.acknowledge(id, through: version.criticals) }
    }

    /// The critical states that the subscriber has not acknowledged. Requires the lock of the fan-out.
    func missed() -> CriticalJournal<AnyStateSnapshot>.Missed { fanout.missed(by: id) }
}
