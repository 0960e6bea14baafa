// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Admits a call where the instant does not matter: as long as nothing is open and no call can be slow.
    @inline(__always)
    mutating func admitUntimed() -> Ticket? {
        guard plainStamp != 0 else { return nil }
        counts.inFlight &+= 1
        return Ticket(stamp: plainStamp, admittedAt: Ticket.untimed, slot: -1)
    }

    /// Answers a call that is offered.
    ///
    /// - Parameter isAsked: Whether the predicate was asked about this call already; it is not asked again.
    @inline(__always)
    mutating func admit(at instant: Instant, isAsked: Bool = false) -> Decision {
        if plainStamp != 0 {
            now = max(now, instant.nanoseconds)
            counts.inFlight &+= 1
            return .admitted(Ticket(stamp: plainStamp, admittedAt: now, slot: -1))
        }
        if isRejecting, instant.nanoseconds < openUntil, now < openUntil {
            now = max(now, instant.nanoseconds)
            return reject(.open, remaining: openUntil &- now)
        }
        return decide(at: instant, isAsked)
    }

    @inline(never)
    private mutating func decide(at instant: Instant, _ isAsked: Bool) -> Decision {
        advance(to: instant)
        switch order {
        case .forcedOpen: return reject(.forcedOpen)
        case .disabled: return .admitted(ticket(.uncounted, slot: -1, at: now))
        case .none: break
        }
        if judgeCallsInFlight(), !isAsked { return .undecided }
        switch phase {
        case .closed: break
        case .open: return refuse(remaining: openUntil &- now)
        case .probing:
            guard probes.taken < rules.permits else { return refuse() }
            return .admitted(ticket(.probe, slot: probes.admit(at: now), at: now))
        case .ramping:
            rampCredit += rampShare
            // A hair below 1 is a sum of shares that would be 1 but for rounding.
            guard rampCredit >= 1 - 1e-9 else { return refuse() }
            rampCredit -= 1
        }
        return .admitted(ticket(.counted, slot: flight.admit(at: now), at: now))
    }

    /// Opens if calls in flight have become slow in such numbers that this one must not follow them.
    ///
    /// - Returns: Whether it is the predicate that has to decide.
    private mutating func judgeCallsInFlight() -> Bool {
        if phase == .probing { judgeProbes(at: now, failing: .probesFailed) }
        guard counts.slowInFlight > 0 else { return false }
        window.advance(to: now)
        guard let reason = slowReason() else { return rules.predicate != nil }
        open(reason, at: now)
        return false
    }

    /// The share of calls that is admitted while ramping.
    var rampShare: Double {
        guard rules.rampNanoseconds > 0 else { return 1 }
        let progress = Double(now &- rampBegun) / Double(rules.rampNanoseconds)
        return min(1, rules.rampShare + (1 - rules.rampShare) * progress)
    }

    /// Rejects the call, unless in shadow mode.
    @inline(__always)
    private mutating func refuse(remaining: Int64 = -1) -> Decision {
        guard rules.isShadow else { return reject(decidedState, remaining: remaining) }
        counts.shadowRejections &+= 1
        return .admitted(ticket(.overlooked, slot: -1, at: now))
    }

    @inline(__always)
    private mutating func reject(_ state: CircuitState, remaining: Int64 = -1) -> Decision {
        counts.rejected &+= 1
        return .rejected(
            Rejection(
                name: shortName,
                state: state,
                cause: openedBecause,
                generation: generation,
                remainingNanoseconds: remaining
            )
        )
    }

    private mutating func ticket(_ kind: Ticket.Kind, slot: Int, at instant: Int64) -> Ticket {
        counts.inFlight &+= 1
        let stamp = Ticket.stamp(generation, kind, judgesResults: rules.judgesResults)
        return Ticket(stamp: stamp, admittedAt: instant, slot: slot)
    }
}
