// SPDX-License-Identifier: Apache-2.0

/// Where one component reports how long its operations took that are neither actions nor phases of a life cycle.
///
/// The calls come from whichever thread the operation ended on, never with a lock of the framework held.
public protocol OperationProbe: Sendable {
    /// An operation ended, `nanoseconds` after it began. Of operations that are shorter than two readings of the clock
    /// only a sample is reported: see ``ComponentOperation``.
    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64)
}

extension OperationProbe {
    /// Hears nothing.
    public func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {}
}

/// What components do that is timed besides actions and phases of the life cycle.
public enum ComponentOperation: Int, Sendable, Hashable, CaseIterable {
    /// A capability is asked whether it is available, and nothing is cached. Each.
    case firstCheck
    /// It is asked again: the cached answer. One in ``sampling`` for each capability, the first among them.
    case cachedCheck
    /// A capability releases what it holds: ``Capability/terminate()``. Each.
    case invalidation
    /// A capability is made anew after a change of permission or availability, until the new one can be used. Each.
    case availabilityChange
    /// A change is made to a client's state: the body of `update` and the comparison. One update in ``sampling`` for
    /// each store, the first among them.
    case stateMutation
    /// From the end of such a change until every subscriber was offered the state and those that wait were woken.
    case statePublishing
    /// A context is asked how to recover from an error. Each.
    case strategyChoice
    /// From the throw that reached a context until the error was settled, the remedies included. Each.
    case errorPropagation
    /// From the making of an observation's task to its first step. Each.
    case taskStartup
    /// From the cancellation of an observation, when its context disappears, to the end of its task. Each.
    case cancellation
    /// The first start of an orchestrator in the process.
    case coldStart
    /// Every later start: the process is there already.
    case warmStart

    /// Of the shortest operations, one in this many is timed.
    public static let sampling: UInt64 = 64
}
