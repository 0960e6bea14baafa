// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Synchronization

/// Receives the states of one client's stores while they are inspected. Bound once for each client instance.
///
/// A class, so that a store reports to it without copying.
package protocol StateRecorder: AnyObject, Sendable {
    /// Read at each publication, before the state is retained.
    var inspection: InspectionSwitch { get }

    /// A store was made.
    func made(_ store: any InspectableStore)

    /// A store published a state while ``inspection`` was on. Called on the thread of the update, in its task, without
    /// a lock of the store. Calls for updates of two threads can come in either order.
    ///
    /// - Parameter store: Identifies the store among those of the client.
    func published(_ state: PublishedState, by store: ObjectIdentifier)
}

/// Whether published states are recorded. Stores read it, and one observer sets it for all of them.
package final class InspectionSwitch: Sendable {
    /// Relaxed: a store that sees a change late records a few states more or less.
    private let value = Atomic(false)

    package init() {}

    /// Costs one relaxed load.
    @inline(__always)
    package var isOn: Bool { value.load(ordering: .relaxed) }

    package func set(_ isOn: Bool) { value.store(isOn, ordering: .relaxed) }
}

/// A store as an inspector sees it.
package protocol InspectableStore: AnyObject, Sendable {
    /// Distinguishes the store from all others that exist.
    var inspectionID: ObjectIdentifier { get }
    /// The name of the type of its state, without the module.
    var stateType: String { get }
    /// The state and the number of changes that led to it. Waits for an update that is under way.
    var numberedState: (state: any OwnedState, update: UInt64) { get }
    /// The open subscriptions, the oldest first.
    var subscribers: [StateSubscriber] { get }
}

/// A state that a store published.
package struct PublishedState: Sendable {
    package let state: any OwnedState
    /// How many changes led to it.
    package let update: UInt64
    package let at: Instant
    /// The span of the task that made the change.
    package let span: SpanContext

    package init(_ state: any OwnedState, update: UInt64, at: Instant, span: SpanContext) {
        (self.state, self.update, self.at, self.span) = (state, update, at, span)
    }
}

/// A subscription to the states of a client.
package struct StateSubscriber: Sendable, Hashable {
    /// The context that subscribed; nil for other subscribers.
    package let component: ComponentDescriptor?
    /// How many states it has not taken yet.
    package let pending: Int
    /// When the oldest of them was published; nil if it has taken all.
    package let oldest: Instant?
}
