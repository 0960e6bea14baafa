// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Opens for `duration` nanoseconds, or for the next open time if `duration` is 0.
    @inline(never)
    mutating func open(_ reason: TransitionReason, at time: Int64, for duration: Int64 = 0) {
        change(reason, at: time) { machine in
            machine.phase = .open
            machine.beginGeneration()
            machine.openedBecause = reason
            machine.openUntil = max(time, machine.history.since) &+ (duration > 0 ? duration : machine.takeOpenTime())
        }
    }

    mutating func beginProbing(at time: Int64) {
        change(.openTimeOver, at: time) { machine in
            machine.phase = .probing
            machine.beginGeneration()
            machine.probes = ProbeRound()
        }
    }

    /// Opens or readmits calls as soon as the remaining probes cannot change the decision.
    mutating func judgeProbes(at time: Int64, failing reason: TransitionReason) {
        let permits = Double(rules.permits)
        let slow = probes.slow + probes.overdue(rules.slowNanoseconds, at: time)
        if probes.failed > 0, Double(probes.failed) / permits >= rules.probeFailureRate {
            open(reason, at: time)
        } else if rules.slowNanoseconds > 0, slow > 0, Double(slow) / permits >= rules.slowRate {
            open(.probesSlow, at: time)
        } else if probes.passed + probes.failed >= rules.permits {
            readmit(at: time)
        }
    }

    private mutating func readmit(at time: Int64) {
        guard rules.rampNanoseconds > 0 else { return close(.probesPassed, at: time) }
        // No transition: the state is half open before and after.
        phase = .ramping
        beginEvidence()
        rampStart = time
        // Admits the first call.
        rampCredit = 1 - rules.rampShare
    }

    /// Closes, and keeps the evidence that the calls of the ramp have provided.
    mutating func completeRamp(at time: Int64) {
        change(.rampComplete, at: time) { machine in
            machine.phase = .closed
            machine.nextOpenTime = machine.rules.openNanoseconds
        }
    }

    mutating func close(_ reason: TransitionReason, at time: Int64) {
        change(reason, at: time) { machine in
            machine.manualState = .none
            machine.phase = .closed
            machine.nextOpenTime = machine.rules.openNanoseconds
            machine.beginEvidence()
        }
    }

    mutating func beginEvidence() {
        beginGeneration()
        window.clear()
        consecutiveFailures = 0
    }

    private mutating func beginGeneration() {
        generation = Ticket.generation(after: generation)
        callsInFlight.removeAll()
        counts.slowInFlight = 0
    }

    private mutating func takeOpenTime() -> Int64 {
        let base = nextOpenTime
        nextOpenTime = min(base * rules.openGrowth, rules.openCap)
        guard rules.openJitter > 0 else { return Int64(base) }
        return Int64(base + base * rules.openJitter * Double.random(in: 0..<1, using: &random))
    }

    /// Changes the state in `body` and records the transition.
    ///
    /// Transitions of shadow mode are a chain of their own, in which each begins where the last one ended, and so are the
    /// others. An order that ends shadow mode ends the chain of shadow mode with it.
    private mutating func change(_ reason: TransitionReason, at time: Int64, _ body: (inout BreakerMachine) -> Void) {
        let (before, decidedBefore) = (state, decidedState)
        history.addTime(in: before, until: time)
        body(&self)
        if before == .shadow { record(reason, decidedBefore, decidedState, isShadow: true) }
        record(reason, before, state, isShadow: false)
    }

    private mutating func record(
        _ reason: TransitionReason,
        _ from: CircuitState,
        _ to: CircuitState,
        isShadow: Bool
    ) {
        guard from != to else { return }
        let transition = CircuitTransition(
            breaker: name,
            edge: CircuitEdge(from: from, to: to, reason: reason),
            instant: Instant(nanoseconds: history.since),
            generation: generation,
            isShadow: isShadow
        )
        history.append(transition)
    }

    // MARK: - Transitions that an operator requests

    /// Rejects or admits all calls from now on, and discards the evidence.
    mutating func force(_ state: ManualState, at instant: Instant) {
        advance(to: instant)
        guard state != manualState else { return }
        let now = now
        change(.operatorOrdered, at: now) { machine in
            machine.manualState = state
            machine.phase = .closed
            machine.beginEvidence()
            machine.openedBecause = .operatorOrdered
        }
    }

    /// Closes from any state, and discards the evidence.
    mutating func reset(at instant: Instant) {
        advance(to: instant)
        close(.operatorOrdered, at: now)
    }

    /// Opens for `nanoseconds`. If the breaker is already open, extends the open time to at least that.
    ///
    /// - Returns: False if an operator has forced the breaker open or disabled it.
    mutating func open(nanoseconds: Int64, at instant: Instant) -> Bool {
        advance(to: instant)
        guard manualState == .none else { return false }
        if phase == .open {
            openUntil = max(openUntil, now &+ nanoseconds)
        } else {
            open(.operatorOrdered, at: now, for: nanoseconds)
        }
        return true
    }

    /// Replaces the rules, and keeps phase, window and counts. The rules apply to calls from now on.
    mutating func reconfigure(_ rules: BreakerRules, at instant: Instant) {
        advance(to: instant)
        let hadNotGrown = nextOpenTime == self.rules.openNanoseconds
        let oldSlow = self.rules.slowNanoseconds
        change(.reconfigured, at: now) { $0.rules = rules }
        window.resize(to: rules.window, at: now)
        nextOpenTime =
            hadNotGrown ? rules.openNanoseconds : min(max(nextOpenTime, rules.openNanoseconds), rules.openCap)
        if oldSlow != rules.slowNanoseconds {
            callsInFlight.setSlow(rules.slowNanoseconds)
            if rules.slowNanoseconds == 0 { counts.slowInFlight = 0 }
        }
        // With fewer permits the finished probes may be sufficient.
        if phase == .probing { judgeProbes(at: now, failing: .probesFailed) }
        advance(to: instant)
    }
}
