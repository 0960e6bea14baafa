// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension BreakerMachine {
    /// What another machine needs to go on as this one.
    mutating func record(
        at instant: Instant,
        secondsSinceEpoch: Double,
        with quiet: QuietLane.Totals
    ) -> CircuitRecord {
        advance(to: instant)
        window.advance(to: now)
        return CircuitRecord(
            version: 1,
            name: name,
            exportedAt: secondsSinceEpoch,
            state: order == .none ? decidedState : state,
            generation: generation,
            openRemaining: phase == .open ? max(0, openUntil &- now) : nil,
            nextOpenTime: nextOpenTime,
            openedBecause: openedBecause,
            probes: phase == .probing
                ? CircuitRecord.Probes(passed: probes.passed, failed: probes.failed, slow: probes.slow) : nil,
            rampAge: phase == .ramping ? now &- rampBegun : nil,
            windowAge: now &- window.begun,
            marks: isCounted ? window.counted.history.map { String($0.rawValue) }.joined() : nil,
            calls: isCounted ? nil : window.timed.entries.map { exported($0) },
            consecutiveFailures: consecutiveFailures,
            totals: totals(with: quiet),
            timeInState: Dictionary(
                uniqueKeysWithValues: log.timeInState(state, at: now).map { ($0.key.rawValue, $0.value) }
            ),
            transitions: log.transitions.filter { $0.count > 0 || $0.shadowCount > 0 }.map {
                CircuitRecord.Transitions(edge: $0.edge, count: $0.count, shadowCount: $0.shadowCount)
            }
        )
    }

    private var isCounted: Bool {
        if case .calls = window.extent { true } else { false }
    }

    private func exported(_ entry: InstantRing.Entry) -> CircuitRecord.Calls {
        CircuitRecord.Calls(
            age: now &- entry.latest,
            calls: entry.calls,
            failures: entry.failures,
            slow: entry.slow
        )
    }

    private func totals(with quiet: QuietLane.Totals) -> CircuitRecord.Totals {
        CircuitRecord.Totals(
            success: counts.success + quiet.succeeded,
            failure: counts.failure,
            ignored: counts.ignored,
            cancelled: counts.cancelled,
            rejected: counts.rejected,
            slow: counts.slow,
            shadowRejections: counts.shadowRejections,
            stale: counts.stale
        )
    }
}
