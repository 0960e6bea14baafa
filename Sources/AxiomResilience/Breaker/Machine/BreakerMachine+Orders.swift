// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Rejects or admits all calls from now on; evidence is dropped.
    mutating func obey(_ order: Order, at instant: Instant) {
        advance(to: instant)
        guard order != self.order else { return }
        let now = now
        change(.operatorOrdered, at: now) { machine in
            machine.order = order
            machine.phase = .closed
            machine.beginEvidence(at: now)
            machine.openedBecause = .operatorOrdered
        }
    }

    /// Closes and begins anew, whatever the state.
    mutating func reset(at instant: Instant) {
        advance(to: instant)
        close(.operatorOrdered, at: now)
    }

    /// Opens for so many nanoseconds, or at least as long where it is open already.
    ///
    /// - Returns: Whether it did; not while an order is in force.
    mutating func open(nanoseconds: Int64, at instant: Instant) -> Bool {
        advance(to: instant)
        guard order == .none else { return false }
        if phase == .open {
            openUntil = max(openUntil, now &+ nanoseconds)
        } else {
            open(.operatorOrdered, at: now, told: nanoseconds)
        }
        return true
    }

    /// Takes other rules and keeps phase, window and counts. They are applied to calls from now on.
    mutating func reconfigure(_ rules: BreakerRules, at instant: Instant) {
        advance(to: instant)
        let wasFirst = nextOpenTime == self.rules.openNanoseconds
        let hadSlow = self.rules.slowNanoseconds
        change(.reconfigured, at: now) { $0.rules = rules }
        window.resize(to: rules.window, at: now)
        nextOpenTime = wasFirst ? rules.openNanoseconds : min(max(nextOpenTime, rules.openNanoseconds), rules.openCap)
        if hadSlow != rules.slowNanoseconds {
            flight.setSlow(rules.slowNanoseconds)
            if rules.slowNanoseconds == 0 { counts.slowInFlight = 0 }
        }
        // With fewer permits the probes may have found enough.
        if phase == .probing { judgeProbes(at: now, failing: .probesFailed) }
        advance(to: instant)
    }
}
