// SPDX-License-Identifier: Apache-2.0

internal import CAxiomSupport

/// Receives the calls that one context type makes to one client.
///
/// Each call is either ``refused(caseIndex:)``, or it begins and ends once. The calls come concurrently from any thread
/// and are part of the cost of each action: record and return. A case index is the action's ``Action/caseIndex`` as its
/// type returned it and may be outside the case names.
///
/// A class, so that reporting copies nothing.
public protocol ClientProbe: AnyObject, Sendable {
    /// An action was admitted and is about to run.
    func began(caseIndex: Int)

    /// An action that began has ended, `nanoseconds` after it was called.
    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64)

    /// A circuit breaker or the action's own validation refused an action, which did not run.
    func refused(caseIndex: Int)

    /// An action entered the client's actor, `nanoseconds` after it was called. About one action in
    /// ``ComponentOperation/sampling`` is reported, before its end.
    func waited(nanoseconds: Int64)
}

extension ClientProbe {
    /// Does nothing.
    public func waited(nanoseconds: Int64) {}
}

/// Receives the events of the contexts of one type. Bound once for each type, so that no action needs a look-up.
public protocol ContextProbe: OperationProbe {
    /// An action ended, `nanoseconds` after ``Context/send(_:)`` was called.
    ///
    /// - Parameter caseIndex: The action's ``Action/caseIndex`` as its type returned it; it may be outside the case
    ///   names.
    func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64)

    /// A phase of the life cycle ended, `nanoseconds` after it began.
    func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64)
}

/// Receives the durations of one component's operations that are neither actions nor phases of a life cycle.
///
/// The calls come from the thread on which the operation ended, never with a lock of the framework held.
public protocol OperationProbe: Sendable {
    /// An operation ended, `nanoseconds` after it began. Operations that are shorter than two readings of the clock are
    /// sampled: see ``ComponentOperation``.
    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64)
}

extension OperationProbe {
    /// Does nothing.
    public func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {}
}

/// The operations of components that are timed besides actions and phases of the life cycle.
public enum ComponentOperation: Int, Sendable, Hashable, CaseIterable {
    /// An availability check of a capability without a cached answer. Every one.
    case firstCheck
    /// An availability check that the cache answers. One in ``sampling`` for each capability, the first included.
    case cachedCheck
    /// The release of a capability's resources: ``Capability/terminate()``. Every one.
    case invalidation
    /// The replacement of a capability after a change of permission or availability, until the new instance is usable.
    /// Every one.
    case availabilityChange
    /// A change of a client's state: the body of `update` and the comparison. One update in ``sampling`` for each
    /// store, including the first.
    case stateMutation
    /// From the end of such a change until every subscriber was offered the state and those that wait were resumed.
    case statePublishing
    /// The choice of a recovery strategy by a context. Every one.
    case strategyChoice
    /// From the throw that reached a context until the error was settled, recovery included. Every one.
    case errorPropagation
    /// From the moment when a client threw an error until it reached the boundary of a context. Every one.
    case clientErrorPropagation
    /// From the moment when a capability threw an error until it reached the boundary of a context, if the capability
    /// was used through ``CapabilityRef/call(isolation:function:_:)``. Every one.
    case capabilityErrorPropagation
    /// From the creation of an observation's task to its first step. Every one.
    case taskStartup
    /// From the cancellation of an observation, when its context disappears, to the end of its task. Every one.
    case cancellation
    /// The first start of an orchestrator in the process.
    case coldStart
    /// Every later start of an orchestrator in the process.
    case warmStart

    /// Of the shortest operations, one in this many is timed.
    package static let sampling: UInt64 = 64
}

/// The package trait `Instrumented`.
enum InstrumentedTrait {
    #if Instrumented
    /// Whether the trait is on. A constant: the optimizer removes the other branch.
    static var isOn: Bool { true }
    #else
    /// Whether the trait is on. A constant: the optimizer removes the other branch.
    @inline(__always)
    static var isOn: Bool { false }
    #endif
}

/// The size of objects on the heap.
enum Footprint {
    /// The bytes that the allocator gave an object, without the objects that it refers to; 0 if the allocator does not
    /// report them. Cost: one read of the allocator's header of the object.
    static func heapBytes(of object: AnyObject) -> Int {
        axiom_block_bytes(Unmanaged.passUnretained(object).toOpaque())
    }
}

/// Receives the calls that one component makes to one capability through ``CapabilityRef/call(_:isolation:_:)``.
///
/// Each call begins and ends once. The calls come concurrently from any thread and are part of the cost of each call of a
/// capability: record and return. A class, so that reporting copies nothing.
package protocol CapabilityProbe: AnyObject, Sendable {
    /// The number of a call's name, the same one each time. Names beyond a limit share one.
    func number(of name: StaticString) -> Int

    /// A call begins. Its name has this number.
    func began(_ number: Int)

    /// A call that began has ended, `nanoseconds` later. It was ``ActionOutcome/rejected`` if there was no instance that
    /// may be used, so that its body did not run.
    func ended(_ number: Int, outcome: ActionOutcome, nanoseconds: Int64)

    /// The body of a call runs once more, because the capability declares a retry for its error.
    func retried()

    /// The treatment of the errors of a call has ended. Not called for a call without an error, or if it was cancelled.
    func recovered(by remedy: CapabilityRemedy)

    /// ``CapabilityRef/answer(_:orCached:isolation:_:)`` returned.
    func answered(_ kind: CapabilityAnswerKind)
}

/// What ended a call of a capability whose body threw an error.
package enum CapabilityRemedy: String, Sendable, Hashable, CaseIterable {
    /// A further run succeeded.
    case retry
    /// The substitute answered.
    case fallback
    /// The error was ignored.
    case ignore
    /// An error was thrown to the caller.
    case propagate
}

/// The cases of a ``CapabilityAnswer``.
package enum CapabilityAnswerKind: String, Sendable, Hashable, CaseIterable {
    case fresh
    case cached
    case empty
}
