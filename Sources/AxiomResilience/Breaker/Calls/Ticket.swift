// SPDX-License-Identifier: Apache-2.0

/// A permit as the state machine sees it: plain bits.
@usableFromInline
struct Ticket: Equatable, Sendable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        /// Its result goes into the window.
        case counted
        /// Its result goes into the half-open verdict.
        case probe
        /// Admitted in shadow mode where an enforcing breaker would have rejected it: its result decides nothing, as it
        /// would not have come to be.
        case overlooked
        /// Admitted while the breaker is disabled: its result decides nothing.
        case uncounted
    }

    /// What `admittedAt` says where nobody read the clock.
    static let untimed = Int64.min

    /// Generation, kind and whether results are judged in one word, so that a plain ticket is known by one comparison.
    /// Never 0.
    @usableFromInline let stamp: UInt64
    /// Nanoseconds on the machine's time line, or `untimed`.
    let admittedAt: Int64
    /// The slot in the upper 48 bits and the deadlines in the lower 16: a ticket of four words would no longer be
    /// returned in registers.
    private var packed: Int

    init(stamp: UInt64, admittedAt: Int64, slot: Int, deadlines: DeadlineMark = .none) {
        self.stamp = stamp
        self.admittedAt = admittedAt
        packed = slot << 16 | Int(deadlines.bits)
    }

    /// Where the machine keeps the call while it is in flight; -1 where it does not.
    var slot: Int { packed >> 16 }

    /// The deadlines that the call runs under, seen by the breaker and not by the machine.
    var deadlines: DeadlineMark {
        get { DeadlineMark(bits: UInt16(truncatingIfNeeded: packed)) }
        set { packed = slot << 16 | Int(newValue.bits) }
    }

    var generation: UInt64 { stamp >> 8 }
    var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: stamp >> 1 & 3)) ?? .uncounted }
    /// Whether a result is judged, and not only an error.
    @usableFromInline var judgesResults: Bool { stamp & 1 == 1 }

    /// Generations are numbers of 56 bits, from 1 on.
    static func stamp(_ generation: UInt64, _ kind: Kind, judgesResults: Bool) -> UInt64 {
        generation << 8 | UInt64(kind.rawValue) << 1 | (judgesResults ? 1 : 0)
    }

    static func generation(after generation: UInt64) -> UInt64 {
        max(1, (generation &+ 1) & 0xff_ffff_ffff_ffff)
    }
}

/// The state machine's answer to a call that is offered.
enum Decision: Equatable, Sendable {
    case admitted(Ticket)
    case rejected(Rejection)
    /// The predicate has to be asked, outside the lock, and the call then offered again.
    case undecided
}
