// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

// What the fan-out of a store reports to once it has unlocked.

/// The client that made a store, or nil for a store of a test. Called without a lock of the store. A class, so that a
/// store needs one word for it. Subclasses are safe to use from any thread.
class StoreOwner: @unchecked Sendable {
    /// An update that was called inside another one was discarded.
    func updateDiscarded(of stateType: String) {}
    /// An update was refused because the state had changed since it was read.
    func updateRefused() {}
    /// The client has released a store.
    func storeReleased(_ store: StateFanout) {}
}

/// Is notified when the subscriptions of a store have changed. A class, so that a store needs one word for it. Subclasses
/// are safe to use from any thread.
class SubscriptionHooks: @unchecked Sendable {
    /// Called without a lock of the store.
    func subscriptionsChanged() {}
}

extension StateFanout {
    /// The probe of the store and the clock of its timings. A class, so that passing it on costs one retain.
    final class Instruments: Sendable {
        let probe: any StateProbe
        let clock: TimeSource
        /// Nil if nothing records spans.
        let spans: (any SpanProbe)?
        /// Nil if states are never inspected.
        let recorder: (any StateRecorder)?
        /// The switch of `recorder`, so that reading it needs no look-up.
        let inspection: InspectionSwitch?

        init(
            probe: any StateProbe,
            clock: TimeSource,
            spans: (any SpanProbe)?,
            recorder: (any StateRecorder)? = nil
        ) {
            self.probe = probe
            self.clock = clock
            self.spans = spans
            self.recorder = recorder
            inspection = recorder?.inspection
        }
    }
}

/// Receives the events of the state store of one client.
///
/// The calls come concurrently from the threads that update the store or take from a stream, never with a lock of the
/// store held. They are part of the update's cost: record and return.
public protocol StateProbe: OperationProbe {
    /// An update changed the state. Called once for each change, regardless of subscribers; an equal state is not a
    /// change.
    func stateUpdated()

    /// `count` states (1 or more) were replaced by later ones before a subscriber had taken them.
    ///
    /// Summed over subscribers: a state that two subscribers miss counts as two. For each subscriber, the states
    /// delivered plus the states coalesced are the states offered: its first one and every update since.
    func statesCoalesced(_ count: Int)

    /// A subscriber took one or several states, `nanoseconds` after the oldest mutation that it had not seen.
    ///
    /// Called once for each delivery of a mutation; the first state of a subscription is not a mutation. Coalesced
    /// states count: a slow subscriber is reported as slow, even if it gets a fresh state.
    func statePropagated(nanoseconds: Int64)

    /// A subscription ended because its subscriber left 1,000 critical states untaken; `dropped` more did not fit.
    /// The pending states are still delivered.
    func subscriberStalled(dropped: Int)

    /// The client's store was made.
    ///
    /// - Parameter state: Returns the current state; nil if the store was released. Waits for an update that is under
    ///   way.
    func storeMade(state: @escaping @Sendable () -> (any OwnedState)?)
}

extension StateProbe {
    /// Does nothing.
    public func storeMade(state: @escaping @Sendable () -> (any OwnedState)?) {}
}
