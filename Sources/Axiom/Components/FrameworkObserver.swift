// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The observers that Axiom's own modules contribute to an ``Instrumentation``: they record spans, inject faults and
/// inspect states, by types that are not public. An application passes it on and never makes one.
public struct FrameworkObservers: Sendable {
    /// In the order in which they are asked.
    package let all: [any FrameworkObserver]
    /// Whether there is no observer at all, so that nothing has to be bound.
    let isIdle: Bool

    /// No observers of the framework, beside an observer of the application.
    package static let none = FrameworkObservers([], isIdle: false)

    package init(_ observer: any FrameworkObserver) { self.init([observer], isIdle: false) }

    init(_ all: [any FrameworkObserver], isIdle: Bool) { (self.all, self.isIdle) = (all, isIdle) }

    /// What the first observer provides that provides it.
    func first<Found>(_ find: (any FrameworkObserver) -> Found?) -> Found? {
        for observer in all {
            if let found = find(observer) { return found }
        }
        return nil
    }
}

/// What an observer of Axiom's own modules can do beyond an ``Instrumentation``. Every requirement has a default that
/// does nothing. Of several observers of one orchestrator, the first one that provides something is used.
package protocol FrameworkObserver: Sendable {
    /// Returns the recorder of one component type's spans; nil if nothing is recorded. Called when the component is
    /// bound, and for rare spans each time.
    func spanProbe(for component: ComponentDescriptor, actions: [String]) -> (any SpanProbe)?

    /// Returns the recorder of the calls of a capability from one component, the same one each time; nil if nothing is
    /// recorded. Called when a scope resolves the capability.
    func capabilityProbe(
        for capability: ComponentDescriptor,
        calledBy caller: ComponentDescriptor
    ) -> (any CapabilityProbe)?

    /// The `traceparent` of W3C Trace Context that a call sends in this span; nil if it is not this observer's span.
    func traceparent(of span: SpanContext) -> String?

    /// Returns the gate of one component type, the same one each time; nil to inject nothing. Called when the component
    /// is registered.
    func faultGate(for component: ComponentDescriptor) -> FaultGate?

    /// Returns the recorder of the states of one client instance; nil if they are never inspected.
    func stateRecorder(for client: ComponentDescriptor, instance: UInt64) -> (any StateRecorder)?

    /// Keeps the actions of contexts; nil if nothing does.
    var scenarioRecording: (any ScenarioRecording)? { get }

    /// An orchestrator starts. Called before its components are made, for each start and each observer.
    ///
    /// - Parameter inspect: Inspects the orchestrator; nil if it was released. It does not keep the orchestrator alive.
    func inspectable(_ inspect: @escaping @MainActor @Sendable () -> Inspection?)

    /// How many actions of a client are under way; nil if this observer does not count them. Called on the main actor,
    /// without a lock.
    func actionsInFlight(of client: ComponentDescriptor) -> Int?

    /// A capability was registered. Called for each observer, which reads the capability whenever it wants to show it,
    /// so that the capability's changes cost nothing.
    ///
    /// - Parameter read: Reads it on any thread, and runs no code of the application; nil if it was released.
    func capability(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?)
}

extension FrameworkObserver {
    package func spanProbe(for component: ComponentDescriptor, actions: [String]) -> (any SpanProbe)? { nil }
    package func capabilityProbe(
        for capability: ComponentDescriptor,
        calledBy caller: ComponentDescriptor
    ) -> (any CapabilityProbe)? { nil }
    package func traceparent(of span: SpanContext) -> String? { nil }
    package func faultGate(for component: ComponentDescriptor) -> FaultGate? { nil }
    package func stateRecorder(for client: ComponentDescriptor, instance: UInt64) -> (any StateRecorder)? { nil }
    package var scenarioRecording: (any ScenarioRecording)? { nil }
    package func inspectable(_ inspect: @escaping @MainActor @Sendable () -> Inspection?) {}
    package func actionsInFlight(of client: ComponentDescriptor) -> Int? { nil }
    package func capability(_ component: ComponentDescriptor, _ read: @escaping @Sendable () -> CapabilityReading?) {}
}

/// Keeps what the actions of contexts contain, while a recording runs. Bound once for each orchestrator.
package protocol ScenarioRecording: AnyObject, Sendable {
    /// Read before each action of a context.
    var recording: InspectionSwitch { get }

    /// An action begins that no other action sent, and ``recording`` is on.
    ///
    /// - Returns: The number of the action, for ``ended(_:_:_:)``; nil if it is not kept.
    @MainActor func began(_ action: some Action, in context: any Context) -> Int?

    /// The action has ended.
    ///
    /// - Parameter error: What ended at the context's boundary; nil after a success.
    @MainActor func ended(_ number: Int, _ outcome: ActionOutcome, _ error: (any Error)?)
}

/// How much of a registered capability works now, since when and why, and the conditions that it depends on.
package struct CapabilityReading: Sendable, Hashable {
    /// The level that callers see.
    package let level: DegradationLevel
    /// When the level became this one; nil if it has never changed.
    package let since: Instant?
    /// Why the level is not `full`, as a clause for people; empty if there is nothing to say.
    package let reason: String
    /// Whether there is no instance although nothing failed: before its initialisation, while it is initialised again, and
    /// after the shutdown.
    package let isIdle: Bool
    /// Whether only the capabilities that it depends on keep it from a better level.
    package let isInherited: Bool
    /// The known status of each permission, service and resource, as `permission camera: granted`.
    package let conditions: [String]
}
