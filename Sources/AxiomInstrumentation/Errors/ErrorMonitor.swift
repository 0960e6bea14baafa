// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import AxiomBase

/// Groups the errors that end in an application: how often and since when they occur, and how recoveries end. The
/// number of groups is bounded.
///
/// Errors are grouped by ``ErrorFingerprint``. When the table is full, a new group evicts the least recently active
/// one, whose counts move to ``Others``. The counts of all groups and of the others always add up to all errors that
/// ended.
///
/// Cost: some microseconds for each error, on the task in which it ended; memory for `capacity` groups of about 2 kB.
public final class ErrorMonitor: Sendable {
    /// The total counts of evicted groups.
    public struct Others: Sendable, Hashable {
        /// How many groups were evicted. A group that returns and is evicted again is counted twice.
        public internal(set) var groups: UInt64 = 0
        /// The errors of the evicted groups.
        public internal(set) var count: UInt64 = 0
        /// The recoveries of the evicted groups.
        public internal(set) var recoveries: UInt64 = 0

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
        public let others: Others
        /// The time of the report.
        public let time: Instant

        /// All errors that ended.
        public var count: UInt64 { groups.reduce(others.count) { $0 + $1.count } }
    }

    /// Read and written under this lock. No error is described while it is held.
    private let table: Lock<ErrorTable>
    private let clock: TimeSource

    /// Creates an empty monitor.
    init(capacity: Int, clock: TimeSource) {
        table = Lock(ErrorTable(capacity: capacity))
        self.clock = clock
    }

    /// All groups at this moment.
    public var report: Report {
        let time = clock.now
        return table.withLock { Report(groups: $0.groups, others: $0.others, time: time) }
    }

    /// All errors that ended.
    var total: UInt64 { table.withLock { $0.total } }

    func ended(_ error: EndedError) {
        let fingerprint = ErrorFingerprint(error.error, in: error.origin)
        let sample = ErrorGroup.Sample(error.error, path: error.path, at: clock.now)
        table.withLock { $0.add(error, fingerprint, sample) }
    }

    func recoveryEnded(_ report: RecoveryReport) {
        let fingerprint = ErrorFingerprint(report.error, in: report.origin)
        let sample = ErrorGroup.Sample(report.error, path: [report.origin, report.boundary], at: clock.now)
        table.withLock { $0.add(report, fingerprint, sample) }
    }
}

/// A bounded number of error groups. When the table is full, a new group evicts the least recently active one, whose
/// counts move to ``others``: no error is ever missing from the total.
struct ErrorTable: Sendable {
    private struct Entry {
        var group: ErrorGroup
        /// Grows with each report, so that groups of the same instant are ordered too.
        var touched: UInt64
    }

    private let capacity: Int
    private var entries: [ErrorFingerprint: Entry] = [:]
    private var reports: UInt64 = 0
    /// All errors that ended.
    private(set) var total: UInt64 = 0
    /// The counts of evicted groups.
    private(set) var others = ErrorMonitor.Others()

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The groups, the most recently active first.
    var groups: [ErrorGroup] {
        entries.values.sorted { $0.touched > $1.touched }.map(\.group)
    }

    /// Counts an error that ended.
    mutating func add(_ error: EndedError, _ fingerprint: ErrorFingerprint, _ sample: ErrorGroup.Sample) {
        var group = entries[fingerprint]?.group ?? ErrorGroup(fingerprint, error.severity, sample)
        group.count += 1
        total += 1
        group.severity = max(group.severity, error.severity)
        group.sample = sample
        group.lastSeen = sample.time
        group.window.add(at: sample.time)
        store(group)
    }

    /// Counts the outcome of a recovery.
    mutating func add(_ report: RecoveryReport, _ fingerprint: ErrorFingerprint, _ sample: ErrorGroup.Sample) {
        let severity = (report.error as? any AxiomError)?.severity ?? .nonCritical
        var group = entries[fingerprint]?.group ?? ErrorGroup(fingerprint, severity, sample)
        group.recoveries.add(report)
        group.lastSeen = sample.time
        store(group)
    }

    private mutating func store(_ group: ErrorGroup) {
        if entries[group.fingerprint] == nil, entries.count >= capacity { evict() }
        reports += 1
        entries[group.fingerprint] = Entry(group: group, touched: reports)
    }

    /// Evicts the least recently active group. Cost: a search through all groups, for each new group beyond the
    /// capacity.
    private mutating func evict() {
        guard let oldest = entries.min(by: { $0.value.touched < $1.value.touched }) else { return }
        others.add(oldest.value.group)
        entries[oldest.key] = nil
    }
}
