// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

// MARK: - Export

extension BreakerMachine {
    /// Exports what another machine needs to continue.
    mutating func record(
        at instant: Instant,
        secondsSinceEpoch: Double,
        with fastPath: FastPathTotals
    ) -> CircuitRecord {
        advance(to: instant)
        window.advance(to: now)
        return CircuitRecord(
            version: 1,
            name: name,
            exportedAt: secondsSinceEpoch,
            state: manualState == .none ? decidedState : state,
            generation: generation,
            openRemaining: phase == .open ? max(0, openUntil &- now) : nil,
            nextOpenTime: nextOpenTime,
            openedBecause: openedBecause,
            probes: phase == .probing
                ? CircuitRecord.Probes(passed: probes.passed, failed: probes.failed, slow: probes.slow) : nil,
            rampAge: phase == .ramping ? now &- rampStart : nil,
            windowAge: now &- window.begun,
            marks: window.isTimed ? nil : window.counted.history.map { String($0.rawValue) }.joined(),
            calls: window.isTimed ? window.timed.entries.map { exported($0) } : nil,
            consecutiveFailures: consecutiveFailures,
            totals: totals(with: fastPath),
            timeInState: Dictionary(
                uniqueKeysWithValues: history.timeInState(state, at: now).map { ($0.key.rawValue, $0.value) }
            ),
            transitions: history.transitions.filter { $0.count > 0 || $0.shadowCount > 0 }.map {
                CircuitRecord.Transitions(edge: $0.edge, count: $0.count, shadowCount: $0.shadowCount)
            }
        )
    }

    private func exported(_ entry: InstantRing.Entry) -> CircuitRecord.Calls {
        CircuitRecord.Calls(
            age: now &- entry.latest,
            calls: entry.calls,
            failures: entry.failures,
            slow: entry.slow
        )
    }

    private func totals(with fastPath: FastPathTotals) -> CircuitRecord.Totals {
        CircuitRecord.Totals(
            success: counts.success + fastPath.succeeded,
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

// MARK: - Import

extension BreakerMachine {
    /// Continues from the state in a record.
    ///
    /// - Throws: ``ResilienceError`` if the record is invalid. The machine is then unchanged.
    mutating func restore(
        _ record: CircuitRecord,
        secondsSinceEpoch: Double,
        _ check: SettingCheck
    ) throws(ResilienceError) {
        try record.validate(check)
        // If the wall clock was set back since the export, no time has passed.
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
        history.restore(Dictionary(times) { $0 + $1 }, record.transitions)
    }

    private mutating func restorePhase(_ record: CircuitRecord, _ elapsed: Int64) {
        generation = Ticket.generation(after: record.generation)
        consecutiveFailures = record.consecutiveFailures
        nextOpenTime = min(max(record.nextOpenTime, rules.openNanoseconds), rules.openCap)
        openedBecause = record.openedBecause
        switch record.state {
        case .forcedOpen: manualState = .forcedOpen
        case .disabled: manualState = .disabled
        case .open:
            phase = .open
            openUntil = now &+ max(0, (record.openRemaining ?? 0) &- elapsed)
        case .halfOpen:
            if let age = record.rampAge {
                phase = .ramping
                rampStart = now &- age &- elapsed
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
        // With fewer permits than before, the finished probes may be sufficient.
        if phase == .probing { judgeProbes(at: now, failing: .probesFailed) }
    }
}

// MARK: - Validation

extension CircuitRecord {
    /// The maximum of every time in a record, in nanoseconds: 31 years.
    private static let maximumTime: Int64 = 1_000_000_000_000_000_000

    fileprivate func validate(_ check: SettingCheck) throws(ResilienceError) {
        try require(check, version == 1, "version is \(version)", "this version of Axiom reads version 1")
        try require(check, exportedAt.isFinite, "exportedAt is \(exportedAt)")
        try require(check, state != .shadow, "state is shadow", "a shadow breaker exports what it decided")
        try require(check, nextOpenTime.isFinite && nextOpenTime > 0, "nextOpenTime is \(nextOpenTime)")
        try require(check, Self.isTime(openRemaining ?? 0), "openRemaining is \(openRemaining ?? 0)")
        try require(check, Self.isTime(rampAge ?? 0), "rampAge is \(rampAge ?? 0)")
        try require(check, Self.isTime(windowAge), "windowAge is \(windowAge)")
        try require(check, Self.isCount(consecutiveFailures), "consecutiveFailures is \(consecutiveFailures)")
        try require(check, timeInState.values.allSatisfy(Self.isTime), "timeInState contains an invalid time")
        try require(check, probes?.isValid ?? true, "probes are negative or more than the maximum of permits")
        try require(check, totals.isValid, "totals are negative, or more calls are slow than have ended")
        try require(
            check,
            transitions.allSatisfy { Self.isCount($0.count) && Self.isCount($0.shadowCount) },
            "transitions are negative"
        )
        try require(check, marks?.utf8.allSatisfy { (48...51).contains($0) } ?? true, "marks are not digits 0 to 3")
        try require(check, (marks?.utf8.count ?? 0) <= 1_000_000, "marks are more than a window can hold")
        try validateCalls(check)
    }

    private func validateCalls(_ check: SettingCheck) throws(ResilienceError) {
        let calls = calls ?? []
        try require(check, calls.count <= InstantRing.hardLimit, "calls are more than a window can hold")
        // Entries of the same age are merged, and an entry has a 32-bit count.
        let total = calls.reduce(0) { $0 + UInt64($1.calls) }
        try require(check, total <= UInt64(UInt32.max), "calls are more than a window can count")
        try require(
            check,
            calls.allSatisfy { Self.isTime($0.age) && $0.failures <= $0.calls && $0.slow <= $0.calls },
            "calls have an invalid age, or more failures or slow calls than calls"
        )
        try require(check, zip(calls, calls.dropFirst()).allSatisfy { $0.age >= $1.age }, "calls are not oldest first")
    }

    private static func isTime(_ nanoseconds: Int64) -> Bool {
        (0...maximumTime).contains(nanoseconds)
    }

    /// Small enough that sums of counts cannot overflow.
    fileprivate static func isCount(_ count: Int) -> Bool {
        (0...1 << 56).contains(count)
    }

    private func require(
        _ check: SettingCheck,
        _ isValid: Bool,
        _ problem: String,
        _ remedy: String = "export it again, or begin without a record"
    ) throws(ResilienceError) {
        guard !isValid else { return }
        throw check.error(.invalidRecord, "the record of \"\(name)\" cannot be used: \(problem); \(remedy)")
    }
}

extension CircuitRecord.Totals {
    fileprivate var isValid: Bool {
        [success, failure, ignored, cancelled, rejected, slow, shadowRejections, stale].allSatisfy(
            CircuitRecord.isCount
        )
            && slow <= success + failure
    }
}

extension CircuitRecord.Probes {
    fileprivate var isValid: Bool {
        [passed, failed, slow].allSatisfy { (0...1_000).contains($0) } && slow <= passed + failed
    }
}
