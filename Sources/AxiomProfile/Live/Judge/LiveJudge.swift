// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Watches how long the operations of a running application take, and tells when one takes longer than in a baseline.
///
/// Windows are what is compared, not requests: both sides' windows are resampled in blocks (circular block bootstrap)
/// for the standard errors of their quantiles. Durations are pooled exactly, since exponential histograms of different
/// resolutions merge without loss.
///
/// An operation is `regressed` when, for one of its percentiles, all of this holds at every look through
/// ``LivePolicy/persistence`` windows:
/// - the shift is significant at the level of the look, adjusted by Holm for all operations and percentiles,
/// - it is at least ``LivePolicy/minimumEffect``,
/// - the windows since the last look alone show at least half of that: it has not gone away,
/// - and its extra cost was not saved by siblings of its group that became significantly quicker.
///
/// It stays so until less than half of the minimum effect is left. Each look spends its part of
/// ``LivePolicy/falseAlarmRate``, so the expected number of false alarms in a horizon of time is bounded by that rate
/// however often one looks, under the assumption that the baseline's windows are like quiet windows of today. What
/// differs from day to day by more than the minimum effect is found as well, rightly or not: record the baseline under
/// the load that is judged.
///
/// Measured with the default rate of 0.001 in 2,000 simulated quiet runs of ten minutes and five operations, whose
/// windows differ by 3 %: 0 runs with a false alarm when windows are independent, 1 when the correlation of neighbours is
/// 0.5, 4 when it is 0.8. At 0.95 and differences of 10 % it was 25, though 98 % of the verdicts were `insufficient`: ten
/// minutes are too few to tell so long a memory from a shift, and a longer horizon or longer windows are needed. A shift
/// of 10 % was found in 90 % of the runs with 100 requests a window whose durations vary by 50 %; more requests, a longer
/// baseline or a higher rate find more.
///
/// **Where durations follow something** (load, a season), their windows resemble each other for too long to tell a small
/// shift from that. Then only gross growth is looked for, ``LivePolicy/grossEffect`` or more, among blocks of the baseline
/// that are as long as ``LivePolicy/minimumWindows``; it must have 8 of them. Without a finding the verdict is
/// `insufficient` and says what would be seen. Measured with a baseline of an hour and 20 minutes after it, 60 requests a
/// window, in 2,000 runs without growth (seeds 0 to 1,999) of each kind: 0 false alarms for a season of five minutes that
/// swings by 20 %, 0 for one of an hour, 0 for levels that differ by 10 % with a correlation of 0.95. Durations that double
/// were flagged in 40, 1 and 40 of 40 runs, those that grow tenfold in 40 of 40 of each kind, after six minutes.
///
/// A value: whoever shares one puts it behind a lock or into an actor. Cost of a look: about 1 ms for each operation.
public struct LiveJudge: Sendable {
    private let policy: LivePolicy
    private let machine: FingerprintMatch
    /// The baseline's windows with enough requests, by operation.
    private var baseline: [String: WindowSet]
    private let groups: [String: String]
    private var watches: [String: OperationWatch]
    private var closed = 0

    /// Makes a judge.
    ///
    /// - Parameters:
    ///   - baseline: The profiles to compare with. Those of several instances of one operation are taken together.
    ///   - recordedOn: The machine of the baseline.
    ///   - runningOn: This machine.
    /// - Throws: ``ProfileError`` when the policy contradicts itself, or a profile has windows of another length.
    public init(
        baseline: [LiveProfile],
        recordedOn: Fingerprint,
        runningOn: Fingerprint,
        policy: LivePolicy = LivePolicy()
    ) throws(ProfileError) {
        try policy.validate()
        if let other = baseline.first(where: { $0.windowLength != policy.windowLength }) {
            throw ProfileError(
                .invalidParameter,
                "the baseline of \"\(other.operation)\" has windows of \(other.windowLength) s and the policy of "
                    + "\(policy.windowLength) s: record with the same length"
            )
        }
        self.policy = policy
        machine = recordedOn.match(runningOn)
        var durations: [String: [ExponentialHistogramData]] = [:]
        for profile in baseline {
            let busy = profile.windows.filter { $0.requests >= policy.minimumRequests }
            durations[profile.operation, default: []] += busy.map(\.durations)
        }
        self.baseline = durations.mapValues { WindowSet($0) }
        groups = Dictionary(baseline.map { ($0.operation, $0.group) }) { first, _ in first }
        watches = durations.keys.reduce(into: [:]) { $0[$1] = OperationWatch($1) }
    }

    /// The verdicts, in the order of the operations' names: those of the baseline and those that were ever seen.
    public var verdicts: [LiveVerdict] {
        watches.values.map(\.presentVerdict).sorted { $0.operation < $1.operation }
    }

    /// Takes the windows that ended at the same time, one for each operation, and looks when a look is due.
    ///
    /// - Parameter windows: By operation. One that is not in it was not done in this window.
    /// - Returns: The verdicts that are of another kind than before, in the order of the operations' names.
    public mutating func close(_ windows: [String: ProfileWindow]) -> [LiveVerdict] {
        closed += 1
        for operation in windows.keys where watches[operation] == nil {
            watches[operation] = OperationWatch(operation)
        }
        for operation in watches.keys {
            watches[operation]?.close(closed, windows[operation]?.durations, policy)
        }
        guard closed % policy.lookInterval == 0 else { return [] }
        let before = watches.mapValues(\.verdict.verdict.kind)
        look()
        return verdicts.filter { before[$0.operation] != $0.verdict.kind }
    }

    private mutating func look() {
        var judged: [String: [LiveComparison.Shift]] = [:]
        var unless: [String: Verdict] = [:]
        for operation in watches.keys.sorted() {
            switch outcome(operation) {
            case .refused(let verdict): watches[operation]?.refuse(verdict)
            case .judged(let shifts): judged[operation] = shifts
            case .judgedGrossly(let shifts, let verdict):
                judged[operation] = shifts
                unless[operation] = verdict
            }
        }
        let tests = judged.sorted { $0.key < $1.key }.flatMap { operation, shifts in
            shifts.map { (operation: operation, shift: $0) }
        }
        let adjusted = (try? MultipleComparisons.holm(tests.map(\.shift.pValue))) ?? tests.map { _ in 1 }
        var results: [String: [(shift: LiveComparison.Shift, p: Double)]] = [:]
        for (test, p) in zip(tests, adjusted) { results[test.operation, default: []].append((test.shift, p)) }
        for (operation, shifts) in results {
            conclude(operation, shifts, costMoves: judged, otherwise: unless[operation])
        }
    }

    private mutating func outcome(_ operation: String) -> LiveComparison.Outcome {
        guard machine.isMatch else { return .refused(Verdict(.incomparable, .fingerprint, machine.description)) }
        guard var before = baseline[operation] else { return .refused(Verdict(.incomparable, .noBaseline)) }
        guard before.durations.count >= policy.minimumWindows else {
            let detail = "\(before.durations.count) windows with \(policy.minimumRequests) requests or more"
            return .refused(Verdict(.insufficient, .shortBaseline, "\(detail), \(policy.minimumWindows) are needed"))
        }
        let watch = watches[operation]
        let now = watch?.durations ?? []
        guard now.count >= policy.minimumWindows else {
            let reason = watch?.lacksRequests == true ? Verdict.Reason.tooFewRequests : .tooFewWindows
            let detail = "\(now.count) windows with \(policy.minimumRequests) requests or more"
            return .refused(Verdict(.insufficient, reason, "\(detail), \(policy.minimumWindows) are needed"))
        }
        do {
            let outcome = try LiveComparison.outcome(&before, now, policy)
            baseline[operation] = before
            switch outcome {
            case .judged(let shifts) where shifts.isEmpty, .judgedGrossly(let shifts, _) where shifts.isEmpty:
                return .refused(Verdict(.insufficient, .tooFewRequests, "not one percentile could be estimated"))
            default: return outcome
            }
        } catch {
            return .refused(Verdict(.insufficient, .range, error.message))
        }
    }

    /// Turns the shifts of one operation into its verdict.
    ///
    /// - Parameter insufficient: The verdict when it is not regressed, where only gross growth can be seen; nil for ok.
    private mutating func conclude(
        _ operation: String,
        _ shifts: [(shift: LiveComparison.Shift, p: Double)],
        costMoves all: [String: [LiveComparison.Shift]],
        otherwise insufficient: Verdict?
    ) {
        guard var watch = watches[operation] else { return }
        let floor = log1p(insufficient == nil ? policy.minimumEffect : policy.grossEffect)
        for (shift, p) in shifts {
            let lasts = shift.recent >= floor / 2
            if p <= policy.levelOfLook, shift.value >= floor, lasts {
                let since = watch.candidateSince[shift.percentile] ?? closed
                watch.candidateSince[shift.percentile] = since
                if closed - since + policy.lookInterval >= policy.persistence {
                    watch.regressed.insert(shift.percentile)
                }
            } else {
                watch.candidateSince[shift.percentile] = nil
                if !lasts || shift.value < floor / 2 { watch.regressed.remove(shift.percentile) }
            }
        }
        // What could not be judged at this look has not lasted.
        let judged = Set(shifts.map(\.shift.percentile))
        watch.candidateSince = watch.candidateSince.filter { judged.contains($0.key) }
        watch.regressed.formIntersection(judged)
        let moved = watch.regressed.isEmpty ? nil : siblingThatSaved(operation, all)
        watch.verdict = verdict(operation, shifts, moved == nil ? watch.regressed : [], moved, insufficient)
        watches[operation] = watch
    }

    private func verdict(
        _ operation: String,
        _ shifts: [(shift: LiveComparison.Shift, p: Double)],
        _ regressed: Set<Double>,
        _ moved: String?,
        _ insufficient: Verdict?
    ) -> LiveVerdict {
        let findings = shifts.map { shift, p in
            LiveFinding(
                percentile: shift.percentile,
                ratio: exp(shift.value),
                standardError: shift.error,
                adjustedP: p,
                isRegressed: regressed.contains(shift.percentile)
            )
        }
        let worst = findings.filter(\.isRegressed).max { $0.ratio < $1.ratio }
        let verdict: Verdict
        if let worst {
            let percent = ((worst.ratio - 1) * 1_000).rounded() / 10
            verdict = Verdict(.regressed, .slower, "the \(worst.percentile) quantile grew by \(percent) %")
        } else if let moved {
            verdict = Verdict(.ok, .costMoved, "\(moved) became quicker by as much")
        } else {
            verdict = insufficient ?? Verdict(.ok)
        }
        return LiveVerdict(operation: operation, verdict: verdict, findings: findings)
    }

    /// The siblings that became significantly quicker and together saved most of what `operation` costs more, at the
    /// baseline's mix of requests: then work was moved, and nothing became slower (the cost-shift filter of FBDetect,
    /// SOSP 2024). nil when it is not so.
    private func siblingThatSaved(_ operation: String, _ all: [String: [LiveComparison.Shift]]) -> String? {
        guard let group = groups[operation], !group.isEmpty, let extra = extraCost(operation), extra > 0 else {
            return nil
        }
        let quicker = all.keys.sorted().filter { sibling in
            guard sibling != operation, groups[sibling] == group, let shifts = all[sibling] else { return false }
            return shifts.contains { 1 - $0.pValue <= policy.levelOfLook && $0.value < 0 }
        }
        let saved = quicker.compactMap { extraCost($0) }.reduce(0) { $0 - $1 }
        return saved >= policy.movedShare * extra ? quicker.joined(separator: ", ") : nil
    }

    /// The seconds that the baseline's requests would cost more at today's mean duration; nil when nothing was done.
    private func extraCost(_ operation: String) -> Double? {
        func total(_ histograms: [ExponentialHistogramData]) -> (count: Double, sum: Double) {
            histograms.reduce((0, 0)) { ($0.0 + Double($1.count), $0.1 + $1.sum) }
        }
        let before = total(baseline[operation]?.durations ?? [])
        let now = total(watches[operation]?.durations ?? [])
        guard before.count > 0, now.count > 0 else { return nil }
        return before.count * (now.sum / now.count - before.sum / before.count)
    }
}
