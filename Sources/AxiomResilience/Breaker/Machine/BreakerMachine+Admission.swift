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
    @inline(__always)
    mutating func admit(at instant: Instant) -> Decision {
        if plainStamp != 0 {
            now = max(now, instant.nanoseconds)
            counts.inFlight &+= 1
            return .admitted(Ticket(stamp: plainStamp, admittedAt: now, slot: -1))
        }
        if isRejecting, instant.nanoseconds < openUntil, now < openUntil {
            now = max(now, instant.nanoseconds)
            return reject(.open, remaining: openUntil &- now)
        }
        return decide(at: instant)
    }

    @inline(never)
    private mutating func decide(at instant: Instant) -> Decision {
        advance(to: instant)
        switch order {
        case .forcedOpen: return reject(.forcedOpen)
        case .disabled: return .admitted(ticket(.uncounted, slot: -1, at: now))
        case .none: break
        }
        if phase == .open, now < openUntil { return refuse(remaining: openUntil &- now) }
        return decide()
    }

    /// Answers where calls are not simply rejected.
    private mutating func decide() -> Decision {
        if phase == .open { beginProbing() } else { judgeCallsInFlight() }
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

    /// Whether calls in flight have become slow in such numbers that this one must not follow them.
    private mutating func judgeCallsInFlight() {
        if phase == .probing { return judgeProbes(at: now, failing: .probesFailed) }
        guard counts.slowInFlight > 0 else { return }
        window.advance(to: now)
        if let reason = slowReason() ?? predicateReason() { open(reason, at: now) }
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
