// SPDX-License-Identifier: Apache-2.0

/// The right to make one call. Hand it back with the outcome: `record(_:_:at:)`.
///
/// It cannot be copied, so that no call settles twice. A permit that is let go of leaves its call in flight; where it
/// belonged to a probe, it lapses after the half-open time limit.
public struct Permit: ~Copyable, Sendable {
    let ticket: Ticket
    /// The breaker that gave it.
    let owner: ObjectIdentifier

    /// The generation in which the call was admitted.
    public var generation: UInt64 { ticket.generation }
    /// Whether the breaker is in shadow mode and would have rejected the call.
    public var wouldHaveBeenRejected: Bool { ticket.kind == .overlooked }
}

/// What a circuit breaker answers to a call that is offered.
public enum Admission: ~Copyable, Sendable {
    /// The call may be made.
    case admitted(Permit)
    /// The call must not be made.
    case rejected(Rejection)
}
