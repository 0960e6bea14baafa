// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import AxiomStatistics

/// Detects actions that have become slower than in the baseline: one verdict for each action of each client and
/// context.
///
/// See `LivePolicy` for the method. A task of low priority closes each window at its end, or a scrape does if it comes
/// first. The task runs until the shutdown while recording or judging is on. The start of another orchestrator on the
/// same telemetry begins a new window and starts the task again. The task also judges, every `LivePolicy.lookInterval`
/// windows: this takes some milliseconds for each operation and never delays a scrape.
public final class RegressionMonitor: Sendable {
    /// The verdicts at one moment.
    public struct Report: Sendable {
        /// One for each action of the application and of the baseline, in the order of component and action. Empty if
        /// nothing is judged.
        public let verdicts: [RegressionVerdict]
        /// How many windows have ended.
        package let windows: Int
        /// How many of them were not closed in time because the process was suspended. They are omitted.
        package let missedWindows: Int

        /// The verdicts of actions that became slower.
        public var regressed: [RegressionVerdict] { verdicts.filter { $0.verdict.kind == .regressed } }
    }

    /// Records the actions; nil if neither recording nor judging is on.
    let windows: WindowRecorder?
    /// Whether there is a baseline.
    package let isJudging: Bool
    /// Whether windows are kept for ``Telemetry/recordProfile()``.
    let isRecording: Bool
    /// The percentiles that are judged, as probabilities.
    package let percentiles: [Double]
    /// The name of the baseline and the time of its recording, in ISO 8601; nil if nothing is judged.
    package let baselineIdentity: (name: String, recordedAt: String)?
    /// The operations of the baseline by name, with their durations in the order of ``percentiles`` and their mean, in seconds.
    private let baseline: [String: (operation: TimedOperation, quantiles: [Double], mean: Double)]
    /// Nil if nothing is judged. Its lock is held while windows are taken and judged and changes are published, so that
    /// all three happen in the order of the windows. Taken before every other lock here.
    private let judge: Lock<Judgement>
    /// The verdicts by operation. A scrape waits for this lock no longer than a copy takes.
    private let latest = Lock<[String: LiveVerdict]>([:])
    /// In which functions the operations spend what they take longer, by operation, while they are judged regressed and a profiler
    /// shows it.
    private let functions = Lock<[String: String]>([:])
    /// The registry retains the monitor, and a profiler the registry: the telemetry alone retains the slot.
    private weak let profiler: ProfilerSlot?
    private let listeners = Broadcast<RegressionVerdict>(keeping: 256)
    /// The task that closes the windows; nil after the shutdown, or if there are no windows. Guarded by its lock.
    private let closer = Lock<Task<Void, Never>?>(nil)
    private let clock: TimeSource

    /// What judges, and what explains its verdicts.
    private struct Judgement {
        var judge: LiveJudge?
        /// Of the operations of the baseline.
        var calls: [String: CallHistory] = [:]
        /// Since the last part of the time.
        var windows = 0
    }

    /// - Throws: ``TelemetryError`` if options contradict each other or the baseline.
    init(_ options: RegressionOptions?, clock: TimeSource, profiler: ProfilerSlot) throws {
        (self.clock, self.profiler) = (clock, profiler)
        let options = options.flatMap { $0.isOn ? $0 : nil }
        try options?.validate()
        isJudging = options?.baseline != nil
        isRecording = options?.isRecording == true
        windows = try options.map { try WindowRecorder($0, clock: clock) }
        let judged = options?.policy.percentiles ?? []
        percentiles = judged
        baselineIdentity = options?.baseline.map { ($0.name, $0.createdAt) }
        let profiles = options?.baseline?.liveProfiles ?? []
        let operations = profiles.map { ($0.operation, (TimedOperation($0), $0.quantiles(judged), $0.mean)) }
        baseline = Dictionary(operations) { first, _ in first }
        judge = Lock(Judgement(judge: try options.flatMap { try Self.judge($0) }))
        start()
    }

    deinit {
        closer.withLock { $0 }?.cancel()
    }

    /// The current verdicts. Closes and judges windows that have ended; see above for the cost.
    public var report: Report {
        update()
        let counts = windows?.counts ?? WindowRecorder.Counts()
        return Report(verdicts: latestVerdicts, windows: counts.closed, missedWindows: counts.missed)
    }

    /// The latest verdicts, without judging again; empty if nothing is judged.
    package var latestVerdicts: [RegressionVerdict] {
        guard isJudging else { return [] }
        let own = Dictionary((windows?.operations ?? []).map { ($0.name, $0) }) { first, _ in first }
        let (known, causes) = (latest.withLock { $0 }, functions.withLock { $0 })
        return own.merging(baseline.mapValues(\.operation)) { own, _ in own }.map { name, operation in
            RegressionVerdict(operation, known[name], causes[name], isKnown: own[name] != nil)
        }.sorted { ($0.component, $0.action) < ($1.component, $1.action) }
    }

    /// The durations of an action in the baseline, in the order of ``percentiles``, in seconds; nil if the baseline has
    /// none.
    package func baselineSeconds(component: String, action: String) -> [Double]? {
        baseline.values.first { $0.operation.component == component && $0.operation.action == action }?.quantiles
    }

    /// The verdicts whose kind changes from now on, until the shutdown. For a slow listener, the latest 256 are kept. A
    /// stream that is created between a shutdown and the start of the next orchestrator ends at once.
    public func changes() -> AsyncStream<RegressionVerdict> {
        listeners.stream()
    }

    /// Prepares for an orchestrator that starts. After the shutdown of an earlier one it begins a new window.
    /// Observations of the window that the shutdown interrupted are omitted.
    func begin() {
        guard closer.withLock({ $0 == nil }) else { return }
        windows?.restart()
        listeners.reopen()
        start()
    }

    /// Closes no more windows automatically and publishes no more changes until the next start.
    func shutDown() {
        closer.withLock { closer in
            defer { closer = nil }
            return closer
        }?.cancel()
        listeners.finish()
    }

    /// The families of the latest verdicts; empty if nothing is judged. Closes the window if it has ended.
    func collect() -> [CollectedFamily] {
        windows?.close()
        guard isJudging else { return [] }
        var families = RegressionFamilies()
        let known = latest.withLock { $0 }
        for operation in windows?.operations ?? [] { families.add(operation, percentiles, known[operation.name]) }
        return families.all
    }

    private func update() {
        guard let windows else { return }
        windows.close()
        judge.withLock { state in
            let pending = windows.takePending()
            let changes = pending.flatMap { state.judge?.close($0) ?? [] }
            explain(pending, windows, &state)
            for change in changes { publish(change) }
            let verdicts = state.judge?.verdicts ?? []
            latest.withLock { $0 = Dictionary(verdicts.map { ($0.operation, $0) }) { first, _ in first } }
        }
    }

    /// Adds windows to what is known of the calls, ends a part of the time after three windows that take 10 s or more, and finds the
    /// functions of what is regressed; what was found before stays if nothing is found. Cost: a profile for each part.
    private func explain(_ pending: [[String: ProfileWindow]], _ windows: WindowRecorder, _ state: inout Judgement) {
        for (name, window) in pending.joined() where baseline[name] != nil {
            state.calls[name, default: CallHistory()].add(window)
        }
        state.windows += pending.count
        let seconds = Double(state.windows) * Double(windows.length) / 1e9
        if state.windows >= 3, seconds >= 10 {
            var query = ProfileQuery()
            (query.seconds, query.hasLines) = (Int(seconds.rounded()), false)
            let profile = profiler?.held.withLock { $0 }?.profile(query)
            for operation in windows.operations {
                state.calls[operation.name]?.endPart(of: operation, profile, seconds: seconds)
            }
            state.windows = 0
        }
        let regressed = state.judge?.verdicts.filter { $0.verdict.kind == .regressed }.map(\.operation) ?? []
        let found = regressed.map { name in
            (name, state.calls[name]?.changes(baseline: baseline[name]?.mean ?? .nan)?.sentence)
        }
        functions.withLock { known in
            known = Dictionary(uniqueKeysWithValues: found.map { ($0, $1 ?? known[$0]) }).compactMapValues { $0 }
        }
    }

    /// A verdict is about an operation of the application or of the baseline.
    private func publish(_ change: LiveVerdict) {
        let own = windows?.operations.first { $0.name == change.operation }
        guard let operation = own ?? baseline[change.operation]?.operation else { return }
        listeners.publish(RegressionVerdict(operation, change, functions.withLock { $0[change.operation] }))
    }

    private func start() {
        guard windows != nil else { return }
        let task = Task.detached(priority: .utility) { [weak self, clock] in
            while let end = self?.windows?.windowEnd {
                do { try await clock.sleep(until: end) } catch { return }
                self?.update()
            }
        }
        closer.withLock { $0 = task }
    }

    private static func judge(_ options: RegressionOptions) throws(TelemetryError) -> LiveJudge? {
        guard let baseline = options.baseline else { return nil }
        do {
            return try LiveJudge(
                baseline: baseline.liveProfiles,
                recordedOn: baseline.fingerprint,
                runningOn: .current(),
                policy: options.policy
            )
        } catch {
            throw .invalidRegressions(error.message)
        }
    }
}

/// Exports the verdicts as metrics.
struct RegressionCollector: Collector {
    let monitor: RegressionMonitor

    func collect() -> [CollectedFamily] {
        monitor.collect()
    }
}

extension LiveProfile {
    /// The mean of all windows together, in seconds.
    fileprivate var mean: Double {
        windows.reduce(0) { $0 + $1.durations.sum } / Double(windows.reduce(0) { $0 + $1.requests })
    }

    /// The quantiles of all windows together, in seconds.
    func quantiles(_ probabilities: [Double]) -> [Double] {
        var all = ExponentialHistogramData.empty
        for window in windows { all.merge(window.durations) }
        return probabilities.map { all.quantile($0) }
    }
}
