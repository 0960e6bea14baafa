// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

/// What ``CapabilityRef/call(isolation:_:)`` does with an error of a capability.
///
/// A capability chooses it for each error:
/// ```swift
/// static func recovery(for error: any Error) -> CapabilityRecovery {
///     error is NetworkError ? .retry(attempts: 3, backoff: .exponential()) : .propagate
/// }
/// ```
public enum CapabilityRecovery: Sendable {
    /// Throws the error to the caller.
    case propagate
    /// Discards the error. The call returns nothing: `()`, or nil if its result is an optional. An error of a call with
    /// any other result is thrown.
    case ignore
    /// Repeats the call, up to `attempts` attempts in all, with the delays of `backoff` between them. The capability is
    /// asked again after each failure; the call ends if the answer is no longer a retry.
    case retry(attempts: Int, backoff: Backoff)
    /// Repeats the call once, with this object instead of the capability. It has to be of the type under which the
    /// capability was registered; otherwise the error is thrown. An error of the substitute is thrown.
    case fallback(any Sendable)
}
