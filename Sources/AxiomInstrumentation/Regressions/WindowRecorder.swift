// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import AxiomProfile

/// Cuts time into windows, and tells how long each operation took in each of them.
///
/// Actions are observed in histograms that only grow, without a lock and whatever the window; a window is what a
/// histogram has now and had not at the end of the window before. Nothing is lost between two windows. What ends while a
/// window is being cut belongs to it or to the next one.
final class WindowRecorder: Sendable {
    private struct Row {
        let operation: TimedOperation
        let durations: ExponentialHistogram
        /// What the histogram had at the end of the last window.
        var before: ExponentialHistogramData
        /// The latest windows in which anything was done, in order.
        var kept: [ProfileWindow] = []
    }

    private struct State {
        /// By the operation's name.
        var rows: [String: Row] = [:]
        /// When the window began that is not over.
        var begin: Instant
        /// Closed windows that nobody has taken, in order.
        var pending: [[String: ProfileWindow]] = []
        var counts = Counts()
    }

    /// How many windows there were.
    struct Counts: Hashable, Sendable {
        /// Windows that are over.
        var closed = 0
        /// Windows of them that nobody closed before the next one was over as well: what was done in them cannot be
        /// told apart, and is left out.
        var missed = 0
    }

    /// Every field is read and written under this lock, which is never taken for an action but one of a wrong index.
    private let state: Lock<State>
    private let histograms: Family<ExponentialHistogram, String>
    /// In nanoseconds, more than 0.
    let length: Int64
    private let keptWindows: Int
    /// How many windows wait for being taken at most; 0 when they are not to be taken.
    private let pendingLimit: Int
    private let clock: TimeSource
    /// The first window's beginning, on both clocks: the wall clock may be set, and windows must be in order.
    private let start: (instant: Instant, epoch: Double)

    /// 1,024 buckets that grow by 1.1 % hold durations that differ by the factor 65,536, and twice as wide buckets the
    /// square of that, which is still finer than what a judge wants to tell.
    private static let bucketing = ExponentialBucketing(schema: 6, maximumBuckets: 1_024)

    /// - Parameter options: Valid ones.
    /// - Throws: `MetricsError`, for which there is no reason: the histograms are in a registry of their own.
    init(_ options: RegressionOptions, clock: TimeSource) throws {
        histograms = try Registry(clock: clock).exponentialHistograms(
            "axiom_operation_duration_seconds",
            help: "How long operations took; not on any page.",
            labels: Label<String>("operation"),
            bucketing: Self.bucketing,
            options: MetricOptions(seriesLimit: 1_000_000)
        )
        length = Duration.seconds(options.policy.windowLength).clampedNanoseconds
        keptWindows = options.isRecording ? options.recordedWindows : 0
        pendingLimit = options.baseline == nil ? 0 : options.policy.horizon
        self.clock = clock
        start = (clock.now, clock.secondsSinceEpoch)
        state = Lock(State(begin: start.instant))
    }

    /// The histogram of an operation, from now on a part of the windows.
    func durations(of operation: TimedOperation) -> ExponentialHistogram {
        state.withLock { state in
            if let known = state.rows[operation.name] { return known.durations }
            let histogram = histograms(operation.name)
            let row = Row(operation: operation, durations: histogram, before: histogram.data)
            state.rows[operation.name] = row
            return histogram
        }
    }

    /// All operations, in the order of their names.
    var operations: [TimedOperation] {
        state.withLock { $0.rows.values.map(\.operation) }.sorted { $0.name < $1.name }
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// When the window ends that is not over.
    var windowEnd: Instant { state.withLock { $0.begin }.advanced(by: .nanoseconds(length)) }

    /// Closes what is over. Cost: one reading of the clock, unless a window is over, when the buckets of all operations
    /// are copied.
    func close() {
        let now = clock.now
        state.withLock { state in
            let over = now.nanoseconds(since: state.begin) / length
            guard over > 0 else { return }
            let window = cut(&state)
            state.begin = state.begin.advanced(by: .nanoseconds(over * length))
            state.counts.closed += Int(over)
            if over == 1 { keep(window, &state) } else { state.counts.missed += Int(over) }
            for _ in 0..<min(Int(over), pendingLimit) { state.pending.append(over == 1 ? window : [:]) }
            state.pending.removeFirst(max(0, state.pending.count - pendingLimit))
        }
    }

    /// Begins a window now, and leaves out what was done since the last one was closed: that window was cut short.
    func restart() {
        let now = clock.now
        state.withLock { state in
            _ = cut(&state)
            state.begin = now
        }
    }

    /// The closed windows since the last call, in order; those in which nothing was done, or that were missed, are
    /// empty.
    func takePending() -> [[String: ProfileWindow]] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// The windows that are kept, by operation, in the order of the operations' names.
    var profiles: [LiveProfile] {
        let rows = state.withLock { $0.rows.values.filter { !$0.kept.isEmpty } }
        return rows.sorted { $0.operation.name < $1.operation.name }.map { row in
            LiveProfile(
                operation: row.operation.name,
                group: row.operation.component,
                windowLength: Double(length) / 1e9,
                windows: row.kept
            )
        }
    }

    private func cut(_ state: inout State) -> [String: ProfileWindow] {
        let began = start.epoch + state.begin.seconds(since: start.instant)
        var window: [String: ProfileWindow] = [:]
        for (name, row) in state.rows {
            guard row.durations.count != row.before.count else { continue }
            let now = row.durations.data
            window[name] = ProfileWindow(start: began, durations: now.since(row.before))
            state.rows[name]?.before = now
        }
        return window
    }

    private func keep(_ window: [String: ProfileWindow], _ state: inout State) {
        guard keptWindows > 0 else { return }
        let now = start.epoch + state.begin.seconds(since: start.instant)
        // Half a window of tolerance: the beginnings are rounded.
        let oldest = now - (Double(keptWindows) + 0.5) * Double(length) / 1e9
        for name in state.rows.keys {
            state.rows[name]?.kept.removeAll { $0.start < oldest }
            if let window = window[name] { state.rows[name]?.kept.append(window) }
        }
    }
}
