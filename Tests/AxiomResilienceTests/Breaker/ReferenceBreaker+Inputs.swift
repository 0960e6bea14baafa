// SPDX-License-Identifier: Apache-2.0

import AxiomBase

@testable import AxiomResilience

extension ReferenceBreaker {
    mutating func time(_ instant: Int64) {
        now = max(now, instant)
        while true {
            if phase == .open, openUntil <= now {
                change(.openTimeOver, at: openUntil) {
                    $0.phase = .probing
                    $0.generation += 1
                    $0.probes = []
                }
            } else if phase == .probing, let oldest = outstandingProbes.map(\.start).min(),
                oldest + rules.probeNanoseconds <= now
            {
                expireProbe(startedAt: oldest)
            } else if phase == .ramping, rampBegun + rules.rampNanoseconds <= now {
                let end = rampBegun + rules.rampNanoseconds
                change(.rampComplete, at: end) {
                    $0.phase = .closed
                    $0.nextOpenTime = $0.rules.openNanoseconds
                }
            } else {
                break
            }
        }
        for index in 0..<inFlight.count where inFlight[index].isWatched {
            if now - inFlight[index].start >= rules.slowNanoseconds { inFlight[index].isKnownSlow = true }
        }
    }

    mutating func expireProbe(startedAt start: Int64) {
        let index = inFlight.firstIndex {
            $0.kind == .probe && $0.generation == generation && !$0.isExpired && $0.start == start
        }
        guard let index else { return }
        inFlight[index].isExpired = true
        let deadline = start + rules.probeNanoseconds
        let isSlow = rules.slowNanoseconds > 0 && rules.probeNanoseconds >= rules.slowNanoseconds
        probes.append(Result(instant: deadline, failed: true, slow: isSlow))
        judgeProbes(at: deadline, .probeTimedOut)
    }

    mutating func admit(_ instant: Int64, isTimed: Bool) -> Answer {
        time(instant)
        defer { if !isTimed, !inFlight.isEmpty { inFlight[inFlight.count - 1].isTimed = false } }
        if order == .forcedOpen {
            rejected += 1
            return .rejected(.forcedOpen, -1)
        }
        if order == .disabled { return enter(.uncounted) }
        if phase == .probing {
            judgeProbes(at: now, .probesFailed)
        } else if phase != .open, slowInFlight > 0, let reason = slowReason {
            open(reason, at: now)
        }
        switch phase {
        case .closed: return enter(.counted)
        case .open: return refuse(openUntil - now)
        case .probing:
            return outstandingProbes.count + probes.count < rules.permits ? enter(.probe) : refuse(-1)
        case .ramping:
            let share =
                rules.rampShare + (1 - rules.rampShare) * Double(now - rampBegun) / Double(rules.rampNanoseconds)
            rampCredit += share
            if rampCredit < 1 - 1e-9 { return refuse(-1) }
            rampCredit -= 1
            return enter(.counted)
        }
    }

    mutating func refuse(_ remaining: Int64) -> Answer {
        if rules.isShadow {
            shadowRejections += 1
            return enter(.shadowAdmitted)
        }
        rejected += 1
        return .rejected(decided, remaining)
    }

    mutating func enter(_ kind: Ticket.Kind) -> Answer {
        callCount += 1
        inFlight.append(
            Call(
                id: callCount,
                start: now,
                generation: generation,
                kind: kind,
                isWatched: kind == .counted && rules.slowNanoseconds > 0
            )
        )
        return .admitted(kind, generation)
    }

    mutating func record(_ id: Int, _ outcome: CallOutcome, _ instant: Int64) {
        time(instant)
        guard let index = inFlight.firstIndex(where: { $0.id == id }) else { return }
        let call = inFlight.remove(at: index)
        outcomes[outcome.kind, default: 0] += 1
        let tells = outcome.kind == .success || outcome.kind == .failure
        let isSlow = tells && call.isTimed && rules.slowNanoseconds > 0 && now - call.start >= rules.slowNanoseconds
        if isSlow { slow += 1 }
        guard call.kind == .counted || call.kind == .probe else { return }
        guard call.generation == generation, !call.isExpired else {
            stale += 1
            return
        }
        guard tells else { return }
        let result = Result(instant: now, failed: outcome.kind == .failure, slow: isSlow)
        if call.kind == .probe {
            probes.append(result)
        } else {
            results.append(result)
            failures.append(result.failed)
        }
        if let openFor = outcome.openFor {
            open(.retryAfter, at: now, lasting: min(openFor.clampedNanoseconds, rules.retryAfterLimit))
        } else if call.kind == .probe {
            judgeProbes(at: now, .probesFailed)
        } else if let reason = tripReason {
            open(reason, at: now)
        }
    }

    mutating func obey(_ order: BreakerMachine.ManualState, _ instant: Int64) {
        time(instant)
        guard order != self.order else { return }
        change(.operatorOrdered, at: now) {
            $0.order = order
            $0.phase = .closed
            $0.beginEvidence()
        }
    }

    mutating func reset(_ instant: Int64) {
        time(instant)
        close(.operatorOrdered, at: now)
    }

    mutating func open(_ nanoseconds: Int64, _ instant: Int64) -> Bool {
        time(instant)
        guard order == .none else { return false }
        if phase == .open {
            openUntil = max(openUntil, now + nanoseconds)
        } else {
            open(.operatorOrdered, at: now, lasting: nanoseconds)
        }
        return true
    }

    mutating func reconfigure(_ new: BreakerRules, _ instant: Int64) {
        time(instant)
        let old = rules
        var kept = windowResults
        change(.reconfigured, at: now) { $0.rules = new }
        if old.window != new.window {
            switch (old.window, new.window) {
            case (.calls, .nanoseconds): for index in kept.indices { kept[index].instant = now }
            case (.nanoseconds, .calls): kept = Self.failuresFirst(kept)
            default: break
            }
            results = kept
        }
        nextOpenTime =
            nextOpenTime == old.openNanoseconds
            ? new.openNanoseconds : min(max(nextOpenTime, new.openNanoseconds), new.openCap)
        if new.slowNanoseconds == 0 {
            for index in inFlight.indices {
                inFlight[index].isWatched = false
                inFlight[index].isKnownSlow = false
            }
        }
        if phase == .probing { judgeProbes(at: now, .probesFailed) }
        time(instant)
    }

    /// Calls of one instant in the order that a count window takes them over.
    static func failuresFirst(_ results: [Result]) -> [Result] {
        var ordered: [Result] = []
        var rest = results[...]
        while let first = rest.first {
            let group = rest.prefix { $0.instant == first.instant }
            let (failed, slow) = (group.count { $0.failed }, group.count { $0.slow })
            for index in group.indices.map({ $0 - group.startIndex }) {
                ordered.append(Result(instant: first.instant, failed: index < failed, slow: index < slow))
            }
            rest = rest.dropFirst(group.count)
        }
        return ordered
    }
}
