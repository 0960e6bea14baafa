// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Opens, for the time that was told or for the next in the growing row.
    @inline(never)
    mutating func open(_ reason: TransitionReason, at time: Int64, told: Int64 = 0) {
        change(reason, at: time) { machine in
            machine.phase = .open
            machine.beginGeneration()
            machine.openedBecause = reason
            machine.openUntil = max(time, machine.log.since) &+ (told > 0 ? told : machine.takeOpenTime())
        }
    }

    mutating func beginProbing(at time: Int64) {
        change(.openTimeOver, at: time) { machine in
            machine.phase = .probing
            machine.beginGeneration()
            machine.probes = ProbeRound()
        }
    }

    /// Decides on what the probes have found, as soon as it cannot change any more.
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
        // Half open before and after: no transition.
        phase = .ramping
        beginEvidence(at: time)
        rampBegun = time
        // The first call is admitted.
        rampCredit = 1 - rules.rampShare
    }

    /// Closes; what calls found while they were readmitted still counts.
    mutating func completeRamp(at time: Int64) {
        change(.rampComplete, at: time) { machine in
            machine.phase = .closed
            machine.nextOpenTime = machine.rules.openNanoseconds
        }
    }

    mutating func close(_ reason: TransitionReason, at time: Int64) {
        change(reason, at: time) { machine in
            machine.order = .none
            machine.phase = .closed
            machine.nextOpenTime = machine.rules.openNanoseconds
            machine.beginEvidence(at: time)
        }
    }

    mutating func beginEvidence(at time: Int64) {
        beginGeneration()
        window.begin(at: time)
        consecutiveFailures = 0
    }

    private mutating func beginGeneration() {
        generation = Ticket.generation(after: generation)
        flight.removeAll()
        counts.slowInFlight = 0
    }

    private mutating func takeOpenTime() -> Int64 {
        let base = nextOpenTime
        nextOpenTime = min(base * rules.openGrowth, rules.openCap)
        guard rules.openJitter > 0 else { return Int64(base) }
        return Int64(base + base * rules.openJitter * Double.random(in: 0..<1, using: &random))
    }

    /// Opens because the configuration's predicate answered that question with yes. Does nothing if the evidence
    /// was reset after the question.
    mutating func open(answering question: TripQuestion, at instant: Instant) {
        advance(to: instant)
        guard question.generation == generation, phase == .closed || phase == .ramping else { return }
        open(.predicate, at: now)
    }

    /// Changes the state in `body` and takes note of what the change was.
    mutating func change(_ reason: TransitionReason, at time: Int64, _ body: (inout BreakerMachine) -> Void) {
        let (before, decidedBefore) = (state, decidedState)
        log.spend(in: before, until: time)
        body(&self)
        let isShadow = before == .shadow && state == .shadow
        let (from, to) = isShadow ? (decidedBefore, decidedState) : (before, state)
        guard from != to else { return }
        let transition = CircuitTransition(
            breaker: name,
            edge: CircuitEdge(from: from, to: to, reason: reason),
            instant: Instant(nanoseconds: log.since),
            generation: generation,
            isShadow: isShadow
        )
        log.append(transition)
    }
}

/// Random numbers for the jitter of open times, from a seed: SplitMix64 (Steele, Lea, Flood, 2014). The machine runs under
/// a lock, so it uses this and not a generator of the user's own, which gives the seed alone.
struct JitterGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
