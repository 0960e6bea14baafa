// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import AxiomStatistics

/// Divides time into windows, and records how long each operation took in each of them.
///
/// Actions are observed without a lock in histograms that only grow, whatever the window. A window is the difference
/// between a histogram now and at the end of the previous window, so nothing is lost between two windows. An action
/// that ends while a window is being closed belongs to that window or to the next one.
final class WindowRecorder: Sendable {
    private struct Row {
        let operation: TimedOperation
        let durations: ExponentialHistogram
        /// The content of the histogram at the end of the last window.
        var before: ExponentialHistogramData
        /// The latest windows that contain an action, in order.
        var kept: [ProfileWindow] = []
    }

    private struct State {
        /// By the operation's name.
        var rows: [String: Row] = [:]
        /// The beginning of the current window.
        var begin: Instant
        /// Closed windows that have not been taken yet, in order.
        var pending: [[String: ProfileWindow]] = []
        var counts = Counts()
    }

    struct Counts: Hashable, Sendable {
        /// Windows that have ended.
        var closed = 0
        /// How many of these were still open when the next window ended as well. Their observations cannot be
        /// separated, so they are omitted.
        var missed = 0
    }

    /// Every field is read and written under this lock. An action takes it only if its index is wrong.
    private let state: Lock<State>
    private let histograms: Family<ExponentialHistogram, String>
    /// In nanoseconds, more than 0.
    let length: Int64
    private let keptWindows: Int
    /// The maximum number of windows that wait to be taken; 0 if they are not taken at all.
    private let pendingLimit: Int
    private let clock: TimeSource
    /// The beginning of the first window on both clocks: the wall clock may be changed, but windows must stay in order.
    private let start: (instant: Instant, epoch: Double)

    /// 1,024 buckets that grow by 1.1 % hold durations that differ by a factor of 65,536. Buckets twice as wide hold
    /// the square of that, which is still finer than a judgement needs.
    private static let bucketing = ExponentialBucketing(schema: 6, maximumBuckets: 1_024)

    /// - Parameter options: Must be valid.
    /// - Throws: `MetricsError`, in practice never: the histograms are in a registry of their own.
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

    /// The histogram of an operation, which is part of the windows from now on.
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

    /// The time on the clock by which windows have their beginnings, in seconds.
    var now: Double { start.epoch + clock.now.seconds(since: start.instant) }

    var windowEnd: Instant { state.withLock { $0.begin }.advanced(by: .nanoseconds(length)) }

    /// Closes the windows that have ended. Cost: one reading of the clock. If a window has ended, also a copy of the
    /// buckets of all operations.
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

    /// Begins a window now. Omits the observations since the last window was closed, because that window was
    /// interrupted.
    func restart() {
        let now = clock.now
        state.withLock { state in
            _ = cut(&state)
            state.begin = now
        }
    }

    /// The windows closed since the last call, in order. Missed windows and those without an action are empty.
    func takePending() -> [[String: ProfileWindow]] {
        state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
    }

    /// The kept windows of each operation, in the order of the operations' names.
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

extension ExponentialHistogramData {
    /// The observations since `earlier`, an earlier reading of the same histogram. Exact except for the rounding of the
    /// sum. If the histogram has lowered its resolution since, the result has the lower resolution too.
    func since(_ earlier: ExponentialHistogramData) -> ExponentialHistogramData {
        var earlier = earlier
        earlier.downscale(to: schema)
        earlier.widenZero(to: zeroThreshold)
        return ExponentialHistogramData(
            schema: schema,
            zeroThreshold: zeroThreshold,
            zeroCount: zeroCount &- earlier.zeroCount,
            positive: positive.since(earlier.positive),
            negative: negative.since(earlier.negative),
            positiveInfinities: positiveInfinities &- earlier.positiveInfinities,
            negativeInfinities: negativeInfinities &- earlier.negativeInfinities,
            count: count &- earlier.count,
            sum: sum - earlier.sum
        )
    }
}

extension ExponentialBuckets {
    fileprivate func since(_ earlier: ExponentialBuckets) -> ExponentialBuckets {
        ExponentialBuckets(offset: offset, counts: indices.map { self[$0] &- earlier[$0] })
    }
}
