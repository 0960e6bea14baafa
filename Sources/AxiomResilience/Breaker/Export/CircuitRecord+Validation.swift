// SPDX-License-Identifier: Apache-2.0

extension CircuitRecord {
    /// The most nanoseconds that anything in a record can be: 31 years.
    private static let longest: Int64 = 1_000_000_000_000_000_000

    func validate(_ check: SettingCheck) throws(ResilienceError) {
        try require(check, version == 1, "version is \(version)", "this version of Axiom reads version 1")
        try require(check, exportedAt.isFinite, "exportedAt is \(exportedAt)")
        try require(check, state != .shadow, "state is shadow", "a shadow breaker exports what it decided")
        try require(check, nextOpenTime.isFinite && nextOpenTime > 0, "nextOpenTime is \(nextOpenTime)")
        try require(check, Self.isTime(openRemaining ?? 0), "openRemaining is \(openRemaining ?? 0)")
        try require(check, Self.isTime(rampAge ?? 0), "rampAge is \(rampAge ?? 0)")
        try require(check, Self.isTime(windowAge), "windowAge is \(windowAge)")
        try require(check, Self.isCount(consecutiveFailures), "consecutiveFailures is \(consecutiveFailures)")
        try require(check, timeInState.values.allSatisfy(Self.isTime), "timeInState has a time that is none")
        try require(check, probes?.isSound ?? true, "probes are negative or more than permits can be")
        try require(check, totals.isSound, "totals are negative, or more calls are slow than ended")
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
        // Entries of one age are merged, and an entry counts in 32 bits.
        let total = calls.reduce(0) { $0 + UInt64($1.calls) }
        try require(check, total <= UInt64(UInt32.max), "calls are more than a window can count")
        try require(
            check,
            calls.allSatisfy { Self.isTime($0.age) && $0.failures <= $0.calls && $0.slow <= $0.calls },
            "calls have an age that is none, or more failures or slow calls than calls"
        )
        try require(check, zip(calls, calls.dropFirst()).allSatisfy { $0.age >= $1.age }, "calls are not oldest first")
    }

    private static func isTime(_ nanoseconds: Int64) -> Bool {
        (0...longest).contains(nanoseconds)
    }

    /// Far from where sums of counts overflow.
    fileprivate static func isCount(_ count: Int) -> Bool {
        (0...1 << 56).contains(count)
    }

    private func require(
        _ check: SettingCheck,
        _ isSound: Bool,
        _ problem: String,
        _ remedy: String = "export it again, or begin without a record"
    ) throws(ResilienceError) {
        guard !isSound else { return }
        throw check.error(.invalidRecord, "the record of \"\(name)\" cannot be used: \(problem); \(remedy)")
    }
}

extension CircuitRecord.Totals {
    fileprivate var isSound: Bool {
        [success, failure, ignored, cancelled, rejected, slow, shadowRejections, stale].allSatisfy(
            CircuitRecord.isCount
        )
            && slow <= success + failure
    }
}

extension CircuitRecord.Probes {
    fileprivate var isSound: Bool {
        [passed, failed, slow].allSatisfy { (0...1_000).contains($0) } && slow <= passed + failed
    }
}
