// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import AxiomMetrics

/// Groups the errors that end in an application: how often and since when they occur, and how recoveries end. The
/// number of groups is bounded.
///
/// Errors are grouped by their type, their code or case, the component in which they arose, and their deepest cause: its
/// type, code and component. So two causes under one wrapper are two groups. The message is not part of it, because it may
/// differ each time. When the table is full, a new group evicts the least recently active one.
/// ``Report/count`` includes the errors of evicted groups.
///
/// Cost: some microseconds for each error, on the task in which it ended; memory for `capacity` groups of about 2 kB, and
/// for the latest 20 errors of each group: 15 KiB at most, a few hundred bytes for each error of usual length.
public final class ErrorMonitor: Sendable {
    /// The total counts of evicted groups, so that no error is missing from the total.
    package struct Others: Sendable, Hashable {
        /// How many groups were evicted. A group that returns and is evicted again is counted twice.
        package internal(set) var groups: UInt64 = 0
        /// The errors of the evicted groups.
        package internal(set) var count: UInt64 = 0
        /// The recoveries of the evicted groups.
        package internal(set) var recoveries: UInt64 = 0

        mutating func add(_ group: ErrorGroup) {
            groups += 1
            count += group.count
            recoveries += group.recoveries.succeeded + group.recoveries.failed + group.recoveries.cancelled
        }
    }

    /// The monitor at one moment.
    public struct Report: Sendable {
        /// The groups, the most recently active first.
        public let groups: [ErrorGroup]
        /// The counts of evicted groups.
        package let others: Others
        /// The time of the report.
        public let time: Instant

        /// All errors that ended, including those of evicted groups.
        public var count: UInt64 { groups.reduce(others.count) { $0 + $1.count } }
    }

    /// Read and written under this lock. No error is described while it is held.
    private let table: Lock<ErrorTable>
    private let clock: TimeSource
    /// The source of contexts; called outside the lock.
    private let context = Lock<(@Sendable () -> ErrorContext)?>(nil)
    /// Knows the spans of the operations that failed.
    let recorder: FlightRecorder?

    /// Creates an empty monitor.
    init(capacity: Int, clock: TimeSource, recorder: FlightRecorder? = nil) {
        table = Lock(ErrorTable(capacity: capacity))
        self.clock = clock
        self.recorder = recorder
    }

    /// All groups at this moment.
    public var report: Report {
        let time = clock.now
        return table.withLock { Report(groups: $0.groups, others: $0.others, time: time) }
    }

    /// All errors that ended.
    var total: UInt64 { table.withLock { $0.total } }

    func provideContext(_ provider: @escaping @Sendable () -> ErrorContext) {
        context.withLock { $0 = provider }
    }

    /// What the application provides now; nil if it provides nothing.
    var presentContext: ErrorContext? {
        let provider = context.withLock { $0 }
        return provider?()
    }

    private func sample(_ error: any Error, _ path: [ComponentDescriptor], _ chain: ErrorChain?) -> ErrorGroup.Sample {
        ErrorGroup.Sample(error, path: path, at: clock.now, context: presentContext, chain: chain)
    }

    /// - Returns: The number of errors of its group without a line in the log, if this one is to have one.
    func ended(_ error: EndedError) -> UInt64? {
        let fingerprint = ErrorFingerprint(error.error, in: error.origin, error.chain)
        let sample = sample(error.error, error.path, error.chain)
        return table.withLock { $0.add(error, fingerprint, sample) }
    }

    func recoveryEnded(_ report: RecoveryReport) {
        let fingerprint = ErrorFingerprint(report.error, in: report.origin, report.chain)
        let sample = sample(report.error, [report.origin, report.boundary], report.chain)
        table.withLock { $0.add(report, fingerprint, sample) }
    }
}

/// Forwards the critical errors of an application, for example to a crash reporter, a log or a pager.
public protocol ErrorSink: Sendable {
    /// Receives one error. Calls do not overlap and run in a task of their own, never on the path on which the error
    /// ended. Up to 100 errors are queued. Errors that do not fit into the queue, and errors for which this method
    /// throws, are counted as dropped.
    func receive(_ error: EndedError) async throws
}

extension DeliveryQueue<EndedError> {
    /// Delivers critical errors to a sink, in a task of its own.
    ///
    /// - Parameters:
    ///   - full: Counts the errors that did not fit into the queue.
    ///   - failed: Counts the errors for which the sink threw an error.
    convenience init(to sink: any ErrorSink, full: Counter, failed: Counter) {
        self.init(full: full) { queue in
            Task.detached(priority: .utility) {
                while let error = queue.next() {
                    do {
                        try await sink.receive(error)
                    } catch {
                        failed.increment()
                    }
                }
            }
        }
    }
}

/// The families of errors and of recoveries from them.
struct ErrorMetrics: Sendable {
    private let errors: Family<Counter, String, String, ErrorSeverity>
    private let recoveries: Family<Counter, String, RecoveryReport.Outcome>
    private let durations: Family<ExponentialHistogram, String>

    init(_ registry: Registry, detail: DetailLevel) throws(MetricsError) {
        errors = try registry.counters(
            "axiom_errors_total",
            help: "Errors that ended at a boundary, by the component in which they arose; "
                + "each refusal by an open circuit breaker is one, with a code that begins with AXIOM_CIRCUIT_.",
            labels: Label<String>("component"),
            Label<String>("code"),
            Label<ErrorSeverity>("severity")
        )
        recoveries = try registry.counters(
            "axiom_error_recoveries_total",
            help: "Attempts to recover from an error, by what they came to.",
            labels: Label<String>("strategy"),
            Label<RecoveryReport.Outcome>("outcome")
        )
        durations = try registry.family(
            detail.durations(lean: []),
            "axiom_error_recovery_duration_seconds",
            help: "Time that an attempt to recover from an error took, whatever it came to.",
            labels: Label<String>("strategy")
        )
        // On a lean page a strategy appears with its first attempt.
        guard BuildInfo.isInstrumented, detail == .full else { return }
        for strategy in RecoveryStrategy.remedyNames { register(strategy) }
    }

    func ended(_ error: EndedError) {
        errors(error.origin.name, error.code, error.severity).increment()
    }

    func recoveryEnded(_ report: RecoveryReport) {
        register(report.strategy)
        recoveries(report.strategy, report.outcome).increment()
        durations(report.strategy).observe(nanoseconds: report.nanoseconds)
    }

    /// Creates all series of a strategy, so that each is on the page before its first event.
    private func register(_ strategy: String) {
        for outcome in RecoveryReport.Outcome.allCases { _ = recoveries(strategy, outcome) }
        _ = durations(strategy)
    }
}
