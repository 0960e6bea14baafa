// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How a call ended, as far as a circuit breaker is concerned.
public struct CallOutcome: Hashable, Sendable {
    /// The four ways in which an admitted call can end.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// What was called did its work.
        case success
        /// What was called did not do its work.
        case failure
        /// The end of the call says nothing about the health of what was called, such as the refusal of a bad request.
        case ignored
        /// The caller gave up. A deadline that expired is not this but a failure.
        case cancelled
    }

    /// How the call ended.
    public let kind: Kind
    /// How long what was called does not want to be called, in nanoseconds; 0 where it did not say.
    let toldNanoseconds: Int64

    private init(_ kind: Kind, told: Int64 = 0) {
        self.kind = kind
        toldNanoseconds = told
    }

    /// What was called did its work.
    public static let success = CallOutcome(.success)
    /// What was called did not do its work.
    public static let failure = CallOutcome(.failure)
    /// The end of the call says nothing about the health of what was called. A probe gives its permit back.
    public static let ignored = CallOutcome(.ignored)
    /// The caller gave up. A probe gives its permit back.
    public static let cancelled = CallOutcome(.cancelled)

    /// A failure that came with the time for which the server does not want to be called, as HTTP's `Retry-After`: the
    /// breaker opens for that time at once. It is held at ``CircuitBreakerConfiguration/toldOpenLimit``; zero and
    /// negative times make it a plain failure.
    public static func failure(openFor duration: Duration) -> CallOutcome {
        CallOutcome(.failure, told: max(0, duration.clampedNanoseconds))
    }

    /// The time that the server told; nil where it did not.
    public var openFor: Duration? {
        toldNanoseconds > 0 ? .nanoseconds(toldNanoseconds) : nil
    }
}
