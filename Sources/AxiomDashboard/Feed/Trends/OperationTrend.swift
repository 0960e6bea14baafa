// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The last hour of one operation: of its calls, of the longest ones, and of those that do not end. At most 2.4 kB.
struct OperationTrend: Sendable {
    private var calls = CallTrend()
    private var tail = TailTrend()
    private var hang = HangTrend()

    /// Adds the calls of the last minute, and those that have not ended.
    mutating func add(
        _ actions: ActionTotals,
        _ id: Int,
        since mark: ActionTotals?,
        inFlight: UInt64,
        at now: Double,
        closes: Bool
    ) {
        let outcomes = actions.outcomes(id, since: mark)
        let isCalled = outcomes.total > 0
        let durations = isCalled ? actions.durations(of: [id], since: mark) : .empty
        calls.add(
            CallMinute(durations, calls: outcomes.total, failures: outcomes.failure &+ outcomes.rejected),
            at: now,
            closes: closes
        )
        if closes, calls.slow.since == nil {
            let top = durations.estimate(0.99) ?? 0
            tail.close(calls: Double(durations.count), top: top, at: now) { durations.count(above: $0) }
        } else if closes {
            // When all calls are slow, some long ones say nothing more.
            tail.close(calls: 0, top: 0, at: now) { _ in 0 }
        }
        guard inFlight > 0 || !hang.isIdle else { return }
        hang.add(
            inFlight: Double(inFlight),
            ended: Double(actions.outcomes(id).total),
            longest: actions.durations(of: [id]).estimate(0.999) ?? 0,
            at: now
        )
    }

    /// What is unusual of it. Calls that are slow are also long.
    func findings(_ subject: TrendSubject) -> [TrendFinding] {
        var found = calls.findings(subject)
        if tail.alarm.since != nil, calls.slow.since == nil {
            found.append(TrendFinding(subject: subject, change: .tail(share: tail.share, limit: tail.limit)))
        }
        if hang.alarm.since != nil {
            let change = TrendFinding.Change.hanging(calls: hang.hanging, seconds: hang.seconds)
            found.append(TrendFinding(subject: subject, change: change))
        }
        return found
    }
}

extension CallTrend {
    /// Whether calls are slow, or fail.
    func findings(_ subject: TrendSubject) -> [TrendFinding] {
        guard let usual else { return [] }
        var found: [TrendFinding] = []
        if slow.since != nil {
            let change = TrendFinding.Change.slow(now: Double(judged.median), before: usual.median)
            found.append(TrendFinding(subject: subject, change: change))
        }
        if failing.since != nil {
            found.append(TrendFinding(subject: subject, change: .failing(now: judged.share, before: usual.share)))
        }
        return found
    }
}

extension ExponentialHistogramData {
    /// How many observations are in buckets above a positive value.
    fileprivate func count(above value: Double) -> Double {
        let first = ExponentialScale.shared.index(of: value, schema: schema) + 1
        return Double(positive.indices.reduce(0) { $1 < first ? $0 : $0 + positive[$1] })
    }
}

extension CallMinute {
    init(_ durations: ExponentialHistogramData, calls: UInt64, failures: UInt64) {
        self.init(
            calls: Double(calls),
            failures: Double(failures),
            median: durations.estimate(0.5) ?? 0,
            high: durations.estimate(0.9) ?? 0
        )
    }
}
