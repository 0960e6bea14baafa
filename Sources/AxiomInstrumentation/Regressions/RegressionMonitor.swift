// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import AxiomProfile

/// Whether the application has become slower than its baseline: a verdict for each action of each client and context.
///
/// `LivePolicy` documents how it is judged. A window is closed when it is over, by a task of low priority that runs while a
/// recording or a judgement is on and until the shutdown, or by the scrape that comes first. The start of another
/// orchestrator on the same telemetry begins a window and the task again. Judging is done by that task, every `LivePolicy.lookInterval` windows: some milliseconds for each operation, never for a scrape.
public final class RegressionMonitor: Sendable {
    /// The verdicts at one moment.
    public struct Report: Sendable {
        /// One for each action of the application and of the baseline, in the order of component and action. Empty
        /// when nothing is judged.
        public let verdicts: [RegressionVerdict]
        /// How many windows are over.
        public let windows: Int
        /// How many of them nobody closed in time, because the process stood still: they are left out.
        public let missedWindows: Int

        /// The verdicts of actions that became slower.
        public var regressed: [RegressionVerdict] { verdicts.filter { $0.verdict.kind == .regressed } }
    }

    /// Where actions are observed; nil when neither a recording nor a judgement is on.
    let windows: WindowRecorder?
    /// Whether there is a baseline.
    public let isJudging: Bool
    /// Whether windows are kept for ``Telemetry/recordProfile()``.
    public let isRecording: Bool
    /// The percentiles that are judged, as probabilities.
    package let percentiles: [Double]
    /// The baseline's name and when it was recorded, in ISO 8601; nil where nothing is judged.
    package let baselineIdentity: (name: String, recordedAt: String)?
    /// How long the operations of the baseline took, by operation, in the order of ``percentiles``, in seconds.
    private let baselineQuantiles: [String: [Double]]
    /// The operations of the baseline, by name.
    private let baseline: [String: TimedOperation]
    /// Guarded by its lock, which is held while windows are taken, judged and told of, so that all of it happens in the
    /// order of the windows. nil when nothing is judged. Taken before every other lock here.
    private let judge: Lock<LiveJudge?>
    /// By operation. Guarded by its lock, for which a scrape never waits longer than a copy takes.
    private let latest = Lock<[String: LiveVerdict]>([:])
    private let listeners = VerdictListeners()
    /// What closes the windows; nil after the shutdown, and where there are none. Guarded by its lock.
    private let closer = Lock<Task<Void, Never>?>(nil)
    private let clock: TimeSource

    /// - Throws: ``TelemetryError`` for options that contradict themselves or the baseline.
    init(_ options: RegressionOptions?, clock: TimeSource) throws {
        self.clock = clock
        let options = options.flatMap { $0.isOn ? $0 : nil }
        try options?.validate()
        isJudging = options?.baseline != nil
        isRecording = options?.isRecording == true
        windows = try options.map { try WindowRecorder($0, clock: clock) }
        let judged = options?.policy.percentiles ?? []
        percentiles = judged
        baselineIdentity = options?.baseline.map { ($0.name, $0.createdAt) }
        let profiles = options?.baseline?.liveProfiles ?? []
        baselineQuantiles = Dictionary(profiles.map { ($0.operation, $0.quantiles(judged)) }) { first, _ in first }
        let operations = options?.baseline?.liveProfiles.map { TimedOperation($0) } ?? []
        baseline = Dictionary(operations.map { ($0.name, $0) }) { first, _ in first }
        judge = Lock(try options.flatMap { try Self.judge($0) })
        start()
    }

    deinit {
        closer.withLock { $0 }?.cancel()
    }

    /// The verdicts as they are now. Closes and judges what is over: see above for what that costs.
    public var report: Report {
        update()
        let counts = windows?.counts ?? WindowRecorder.Counts()
        guard isJudging else {
            return Report(verdicts: [], windows: counts.closed, missedWindows: counts.missed)
        }
        let own = Dictionary((windows?.operations ?? []).map { ($0.name, $0) }) { first, _ in first }
        let known = latest.withLock { $0 }
        let verdicts = own.merging(baseline) { own, _ in own }.map { RegressionVerdict($1, known[$0]) }
        return Report(
            verdicts: verdicts.sorted { ($0.component, $0.action) < ($1.component, $1.action) },
            windows: counts.closed,
            missedWindows: counts.missed
        )
    }

    /// The verdicts as they were judged last, without judging anew; empty where nothing is judged.
    package var latestVerdicts: [RegressionVerdict] {
        guard isJudging else { return [] }
        let own = Dictionary((windows?.operations ?? []).map { ($0.name, $0) }) { first, _ in first }
        let known = latest.withLock { $0 }
        return own.merging(baseline) { own, _ in own }.map { RegressionVerdict($1, known[$0]) }
            .sorted { ($0.component, $0.action) < ($1.component, $1.action) }
    }

    /// How long an action took in the baseline, in the order of ``percentiles``, in seconds; nil where it has none.
    package func baselineSeconds(component: String, action: String) -> [Double]? {
        baseline.values.first { $0.component == component && $0.action == action }.flatMap {
            baselineQuantiles[$0.name]
        }
    }

    /// The verdicts that become of another kind from now on, until the shutdown. For a listener that does not keep up,
    /// the latest 256 are kept. Between a shutdown and the start of the next orchestrator the stream ends at once.
    public func changes() -> AsyncStream<RegressionVerdict> {
        listeners.stream()
    }

    /// An orchestrator starts. After the shutdown of an earlier one a new window begins: what was done in the one that
    /// was cut short by that shutdown is left out.
    func begin() {
        guard closer.withLock({ $0 == nil }) else { return }
        windows?.restart()
        listeners.reopen()
        start()
    }

    /// Closes no more windows by itself, and tells of no more changes, until the next start.
    func shutDown() {
        closer.withLock { closer in
            defer { closer = nil }
            return closer
        }?.cancel()
        listeners.finish()
    }

    /// The families of what was judged last; none where nothing is judged. Closes the window if it is over.
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
        judge.withLock { judge in
            for window in windows.takePending() {
                for change in judge?.close(window) ?? [] { tell(change) }
            }
            let verdicts = judge?.verdicts ?? []
            latest.withLock { $0 = Dictionary(verdicts.map { ($0.operation, $0) }) { first, _ in first } }
        }
    }

    /// A verdict is about an operation of the application or of the baseline.
    private func tell(_ change: LiveVerdict) {
        let own = windows?.operations.first { $0.name == change.operation }
        guard let operation = own ?? baseline[change.operation] else { return }
        listeners.hear(RegressionVerdict(operation, change))
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
