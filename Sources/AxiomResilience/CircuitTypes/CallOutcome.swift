// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How a call ended, from the point of view of a circuit breaker.
public struct CallOutcome: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case success
        case failure
        case ignored
        case cancelled
    }

    package let kind: Kind
    /// How long the server does not want to be called, in nanoseconds; 0 if it did not say.
    let retryAfterNanoseconds: Int64

    private init(_ kind: Kind, retryAfter: Int64 = 0) {
        self.kind = kind
        retryAfterNanoseconds = retryAfter
    }

    /// The call succeeded.
    public static let success = CallOutcome(.success)
    /// The call failed.
    public static let failure = CallOutcome(.failure)
    /// The result says nothing about the health of the server, such as the rejection of an invalid request. A probe
    /// returns its permit.
    public static let ignored = CallOutcome(.ignored)
    /// The caller cancelled the call. An expired deadline is a failure instead. A probe returns its permit.
    public static let cancelled = CallOutcome(.cancelled)

    /// The call failed, and the server said how long it does not want to be called, as with HTTP's `Retry-After`. The
    /// breaker opens at once for that time, limited by ``CircuitBreakerConfiguration/retryAfterLimit``. A duration of zero
    /// or less makes it a plain failure.
    public static func failure(openFor duration: Duration) -> CallOutcome {
        CallOutcome(.failure, retryAfter: max(0, duration.clampedNanoseconds))
    }

    /// The duration of ``failure(openFor:)``; nil for other outcomes.
    package var openFor: Duration? {
        retryAfterNanoseconds > 0 ? .nanoseconds(retryAfterNanoseconds) : nil
    }
}

/// The permission to make one call. Return it with the outcome: ``CircuitBreaker/record(_:_:at:error:)``.
///
/// It cannot be copied, so no call is recorded twice. A call whose permit is dropped stays in flight. If it was a probe,
/// its permit expires after ``CircuitBreakerConfiguration/halfOpenTimeLimit``.
package struct Permit: ~Copyable, Sendable {
    let ticket: Ticket
    /// The breaker that issued it.
    let owner: ObjectIdentifier
}

/// The decision of a circuit breaker about a call.
package enum Admission: ~Copyable, Sendable {
    /// The call may be made.
    case admitted(Permit)
    /// The call must not be made.
    case rejected(Rejection)
}

/// A permit as the state machine stores it: plain bits.
@usableFromInline
struct Ticket: Equatable, Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        /// Its result goes into the window.
        case counted
        /// Its result decides whether the half-open breaker closes.
        case probe
        /// Admitted in shadow mode where an enforcing breaker would have rejected the call. Its result decides nothing,
        /// because an enforcing breaker would not have had it.
        case shadowAdmitted
        /// Admitted while the breaker is disabled. Its result decides nothing.
        case uncounted
    }

    /// The value of `admittedAt` if the clock was not read.
    static let untimed = Int64.min

    /// Generation and kind in one word, so that a plain ticket is recognised by one comparison. Never 0.
    let stamp: UInt64
    /// Nanoseconds on the machine's time line, or `untimed`.
    let admittedAt: Int64
    /// The slot in the upper 48 bits, the deadlines in the lower 16. Four words would not be returned in registers.
    private var packed: Int

    init(stamp: UInt64, admittedAt: Int64, slot: Int, deadlines: DeadlineSnapshot = .none) {
        self.stamp = stamp
        self.admittedAt = admittedAt
        packed = slot << 16 | Int(deadlines.bits)
    }

    /// The index of the call in the machine while it is in flight; -1 if the machine does not track it.
    var slot: Int { packed >> 16 }

    /// The deadlines around the call. The breaker uses them; the machine does not.
    var deadlines: DeadlineSnapshot {
        get { DeadlineSnapshot(bits: UInt16(truncatingIfNeeded: packed)) }
        set { packed = slot << 16 | Int(newValue.bits) }
    }

    var generation: UInt64 { stamp >> 8 }
    var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: stamp & 3)) ?? .uncounted }

    /// Generations are numbers of 56 bits, from 1 on.
    static func stamp(_ generation: UInt64, _ kind: Kind) -> UInt64 {
        generation << 8 | UInt64(kind.rawValue)
    }

    static func generation(after generation: UInt64) -> UInt64 {
        max(1, (generation &+ 1) & 0xff_ffff_ffff_ffff)
    }
}
