// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// Goes on where a record says that another machine stopped.
    ///
    /// - Throws: ``ResilienceError``; the machine is then as it was.
    mutating func restore(
        _ record: CircuitRecord,
        secondsSinceEpoch: Double,
        _ check: SettingCheck
    ) throws(ResilienceError) {
        try record.validate(check)
        // A clock that was set back in between makes no time pass.
        let elapsed = Int64(min(max(0, (secondsSinceEpoch - record.exportedAt) * 1e9), 1e18))
        restoreCounts(record)
        restorePhase(record, elapsed)
        restoreWindow(record, elapsed)
        advance(to: Instant(nanoseconds: now))
    }

    private mutating func restoreCounts(_ record: CircuitRecord) {
        counts.success = record.totals.success
        counts.failure = record.totals.failure
        counts.ignored = record.totals.ignored
        counts.cancelled = record.totals.cancelled
        counts.rejected = record.totals.rejected
        counts.slow = record.totals.slow
        counts.shadowRejections = record.totals.shadowRejections
        counts.stale = record.totals.stale
        let times = record.timeInState.compactMap { time in CircuitState(rawValue: time.key).map { ($0, time.value) } }
        log.restore(
            Dictionary(times) { $0 + $1 },
            record.transitions.map {
                CircuitSummary.TransitionCount(edge: $0.edge, count: $0.count, shadowCount: $0.shadowCount)
            }
        )
    }

    private mutating func restorePhase(_ record: CircuitRecord, _ elapsed: Int64) {
        generation = Ticket.generation(after: record.generation)
        consecutiveFailures = record.consecutiveFailures
        nextOpenTime = min(max(record.nextOpenTime, rules.openNanoseconds), rules.openCap)
        openedBecause = record.openedBecause
        switch record.state {
        case .forcedOpen: order = .forcedOpen
        case .disabled: order = .disabled
        case .open:
            phase = .open
            openUntil = now &+ max(0, (record.openRemaining ?? 0) &- elapsed)
        case .halfOpen:
            if let age = record.rampAge {
                phase = .ramping
                rampBegun = now &- age &- elapsed
                rampCredit = 1 - rules.rampShare
            } else {
                phase = .probing
                probes.passed = record.probes?.passed ?? 0
                probes.failed = record.probes?.failed ?? 0
                probes.slow = record.probes?.slow ?? 0
            }
        case .closed, .shadow: break
        }
    }

    private mutating func restoreWindow(_ record: CircuitRecord, _ elapsed: Int64) {
        window.restore(begun: now &- record.windowAge &- elapsed)
        for digit in record.marks?.utf8 ?? "".utf8 {
            let mark = CallMark(rawValue: digit & 3)
            window.restore(InstantRing.Entry(mark, at: now &- elapsed))
        }
        for calls in record.calls ?? [] {
            let entry = InstantRing.Entry(
                latest: now &- calls.age &- elapsed,
                calls: calls.calls,
                failures: calls.failures,
                slow: calls.slow
            )
            window.restore(entry)
        }
        window.advance(to: now)
        // With fewer permits than there were, the probes may have found enough.
        if phase == .probing { judgeProbes(at: now, failing: .probesFailed) }
    }
}
