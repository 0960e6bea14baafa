// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomResilience

extension ReferenceBreaker {
    var tripReason: TransitionReason? {
        let window = window
        if window.consecutiveFailures >= rules.consecutiveFailures { return .consecutiveFailures }
        if window.calls >= rules.minimumCalls, window.failures > 0, window.failureRatio >= rules.failureRate {
            return .failureRate
        }
        return slowReason
    }

    var slowReason: TransitionReason? {
        let window = window
        guard rules.slowNanoseconds > 0, window.slow + window.slowInFlight > 0 else { return nil }
        guard window.calls + window.slowInFlight >= rules.minimumCalls else { return nil }
        return window.slowRatio >= rules.slowRate ? .slowRate : nil
    }

    mutating func judgeProbes(at time: Int64, _ reason: TransitionReason) {
        let failed = probes.count { $0.failed }
        let slow = probes.count { $0.slow } + overdueProbes(at: time)
        if failed > 0, Double(failed) / Double(rules.permits) >= rules.probeFailureRate {
            open(reason, at: time)
        } else if rules.slowNanoseconds > 0, slow > 0, Double(slow) / Double(rules.permits) >= rules.slowRate {
            open(.probesSlow, at: time)
        } else if probes.count >= rules.permits {
            if rules.rampNanoseconds == 0 { return close(.probesPassed, at: time) }
            phase = .ramping
            beginEvidence()
            rampBegun = time
            rampCredit = 1 - rules.rampShare
        }
    }

    mutating func open(_ reason: TransitionReason, at time: Int64, lasting length: Int64 = 0) {
        change(reason, at: time) { breaker in
            breaker.phase = .open
            breaker.generation += 1
            if length > 0 {
                breaker.openUntil = breaker.since + length
            } else {
                let base = breaker.nextOpenTime
                let extra =
                    breaker.rules.openJitter > 0
                    ? base * breaker.rules.openJitter * Double.random(in: 0..<1, using: &breaker.random) : 0
                breaker.openUntil = breaker.since + Int64(base + extra)
                breaker.nextOpenTime = min(base * breaker.rules.openGrowth, breaker.rules.openCap)
            }
        }
    }

    mutating func close(_ reason: TransitionReason, at time: Int64) {
        change(reason, at: time) {
            $0.order = .none
            $0.phase = .closed
            $0.nextOpenTime = $0.rules.openNanoseconds
            $0.beginEvidence()
        }
    }

    mutating func beginEvidence() {
        generation += 1
        results = []
        failures = []
    }

    mutating func change(_ reason: TransitionReason, at time: Int64, _ body: (inout ReferenceBreaker) -> Void) {
        let (before, decidedBefore) = (state, decided)
        let end = max(time, since)
        spans.append((before, end - since))
        since = end
        body(&self)
        // The chain of shadow mode, and that of the others.
        let shadow = before == .shadow ? [(decidedBefore, decided, true)] : []
        for (from, to, isShadow) in shadow + [(before, state, false)] where from != to {
            transitions.append(
                CircuitTransition(
                    breaker: "b",
                    edge: CircuitEdge(from: from, to: to, reason: reason),
                    instant: Instant(nanoseconds: since),
                    generation: generation,
                    isShadow: isShadow
                )
            )
        }
    }
}
