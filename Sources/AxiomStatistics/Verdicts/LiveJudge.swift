// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Compares how long the operations of a running application take with a baseline. ``LivePolicy`` documents the rules,
/// and how often they are wrong.
///
/// Windows are compared, not requests: the windows of both sides are resampled in blocks (circular block bootstrap) for
/// the standard errors of their quantiles. Exponential histograms of different resolutions merge without loss, so
/// durations are pooled exactly.
///
/// Where consecutive windows are too similar for that, blocks of the baseline that are as long as
/// ``LivePolicy/minimumWindows`` are compared instead (``GrossComparison``), and only gross growth is found.
///
/// A look costs about 1 ms for each operation.
package struct LiveJudge: Sendable {
    private let policy: LivePolicy
    private let machine: FingerprintMatch
    /// The baseline's windows with enough requests, by operation.
    private var baseline: [String: WindowSet]
    private let groups: [String: String]
    private var watches: [String: OperationWatch]
    private var closed = 0

    /// - Parameter baseline: The profiles to compare with. Those of several instances of one operation are pooled.
    /// - Throws: ``ProfileError`` if the policy is inconsistent, or a profile has windows of another length.
    package init(
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

    /// The verdicts on all operations of the baseline and of the application, in the order of their names.
    package var verdicts: [LiveVerdict] {
        watches.values.map(\.presentVerdict).sorted { $0.operation < $1.operation }
    }

    /// Adds the windows that ended at the same time, one for each operation, and judges if a look is due.
    ///
    /// - Parameter windows: By operation. An operation that is missing had no request in this window.
    /// - Returns: The verdicts whose kind changed, in the order of the operations' names.
    package mutating func close(_ windows: [String: ProfileWindow]) -> [LiveVerdict] {
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
    /// - Parameter insufficient: The verdict without a regression if only gross growth can be found; nil for ok.
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
        // A percentile that this look could not judge has not lasted.
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

    /// The siblings that became significantly faster and together saved most of the extra cost of `operation`, at the
    /// baseline's mix of requests; nil if there are none. Then work moved, and nothing became slower (the cost-shift
    /// filter of FBDetect, SOSP 2024).
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

    /// The seconds by which the baseline's requests would take longer at the present mean duration; nil without requests.
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
