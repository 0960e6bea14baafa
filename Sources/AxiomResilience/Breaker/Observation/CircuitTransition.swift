// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A transition that a circuit breaker made, or in shadow mode would have made.
public struct CircuitTransition: Hashable, Sendable {
    /// The breaker's name.
    public let breaker: String
    /// From where to where, and why.
    public let edge: CircuitEdge
    /// When. A deadline that passed unseen takes effect at the deadline, not when it was noticed.
    public let instant: Instant
    /// The generation that began with the transition; permits of earlier ones decide nothing.
    public let generation: UInt64
    /// True where the breaker is in shadow mode: it would have made the transition, and rejected nothing.
    public let isShadow: Bool

    /// The state before.
    public var from: CircuitState { edge.from }
    /// The state after.
    public var to: CircuitState { edge.to }
    /// Why.
    public var reason: TransitionReason { edge.reason }
}
