// SPDX-License-Identifier: Apache-2.0

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
