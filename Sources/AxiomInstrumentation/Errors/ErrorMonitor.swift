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
