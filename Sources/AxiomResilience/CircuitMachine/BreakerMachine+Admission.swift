// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The decision of the state machine about a call.
enum Decision: Equatable, Sendable {
    case admitted(Ticket)
    case rejected(Rejection)
}

extension BreakerMachine {
    /// Admits a call without an instant; nil if the decision depends on time.
    @inline(__always)
    mutating func admitUntimed() -> Ticket? {
        guard plainStamp != 0 else { return nil }
        counts.inFlight &+= 1
        return Ticket(stamp: plainStamp, admittedAt: Ticket.untimed, slot: -1)
    }

    /// Decides about a call.
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
        switch manualState {
        case .forcedOpen: return reject(.forcedOpen)
        case .disabled: return .admitted(ticket(.uncounted, slot: -1, at: now))
        case .none: break
        }
        judgeCallsInFlight()
        switch phase {
        case .closed: break
        case .open: return refuse(remaining: openUntil &- now)
        case .probing:
            guard probes.taken < rules.permits else { return refuse() }
            return .admitted(ticket(.probe, slot: probes.admit(at: now), at: now))
        case .ramping:
            rampCredit += rampShare
            // Tolerates the rounding error of a sum of shares that is mathematically 1.
            guard rampCredit >= 1 - 1e-9 else { return refuse() }
            rampCredit -= 1
        }
        return .admitted(ticket(.counted, slot: callsInFlight.admit(at: now), at: now))
    }

    /// Opens the breaker if the calls in flight that have become slow reach the threshold. The call that asks for
    /// admission is then rejected.
    private mutating func judgeCallsInFlight() {
        if phase == .probing { judgeProbes(at: now, failing: .probesFailed) }
        guard counts.slowInFlight > 0 else { return }
        window.advance(to: now)
        if let reason = slowReason() { open(reason, at: now) }
    }

    /// The share of calls that the ramp admits now.
    var rampShare: Double {
        guard rules.rampNanoseconds > 0 else { return 1 }
        let progress = Double(now &- rampStart) / Double(rules.rampNanoseconds)
        return min(1, rules.rampShare + (1 - rules.rampShare) * progress)
    }

    /// Rejects the call. In shadow mode, admits and counts it.
    @inline(__always)
    private mutating func refuse(remaining: Int64 = -1) -> Decision {
        guard rules.isShadow else { return reject(decidedState, remaining: remaining) }
        counts.shadowRejections &+= 1
        return .admitted(ticket(.shadowAdmitted, slot: -1, at: now))
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
        return Ticket(stamp: Ticket.stamp(generation, kind), admittedAt: instant, slot: slot)
    }
}
