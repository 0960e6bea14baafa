// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Why a call was not admitted: a handful of words, made without allocating or counting references.
public struct Rejection: Hashable, Sendable {
    let name: BreakerName
    /// The state that rejected the call: open, half-open or forced open.
    public let state: CircuitState
    /// Why the breaker opened.
    public let cause: TransitionReason
    /// The generation that rejected the call.
    public let generation: UInt64
    /// Nanoseconds until probes are admitted; -1 where nobody knows.
    let remainingNanoseconds: Int64

    /// The breaker's name. Cost: a look-up under a lock. It is known as long as the breaker exists, and after that until
    /// 1,024 other names have been released; a ``CircuitOpenError`` keeps its own copy.
    public var breaker: String { name.text }

    /// How long calls will be rejected; nil where that depends on probes in flight or on an operator.
    public var remaining: Duration? {
        remainingNanoseconds < 0 ? nil : .nanoseconds(remainingNanoseconds)
    }
}
