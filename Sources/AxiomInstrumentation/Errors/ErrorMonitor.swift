// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import AxiomBase

/// Which errors end in an application, how often, since when, and what becomes of them: a bounded number of groups.
///
/// Errors are grouped by ``ErrorFingerprint``. When there are more groups than fit, the one that was silent for the
/// longest is given up and what it counted moves to ``others``: the counts of all groups and of the others always add
/// up to all errors that ended.
///
/// Cost: some microseconds for each error, on the task in which it ended; memory for `capacity` groups of about 2 kB.
public final class ErrorMonitor: Sendable {
    /// What became of the groups that had to go.
    public struct Others: Sendable, Hashable {
        /// How many groups had to go. One that comes back and goes again is counted twice.
        public internal(set) var groups: UInt64 = 0
        /// The errors that they had counted.
        public internal(set) var count: UInt64 = 0
        /// The recoveries that they had counted.
        public internal(set) var recoveries: UInt64 = 0

        mutating func add(_ group: ErrorGroup) {
            groups += 1
            count += group.count
            recoveries += group.recoveries.succeeded + group.recoveries.failed + group.recoveries.cancelled
        }
    }

    /// The monitor at one moment.
    public struct Report: Sendable {
        /// The groups, the one that was heard of last first.
        public let groups: [ErrorGroup]
        /// What was counted in groups that had to go.
        public let others: Others
        /// When the report was made.
        public let time: Instant

        /// All errors that ended.
        public var count: UInt64 { groups.reduce(others.count) { $0 + $1.count } }
    }

    /// Read and written under this lock, while which no description of an error is made.
    private let table: Lock<ErrorTable>
    private let clock: TimeSource

    /// Makes a monitor that has seen nothing.
    init(capacity: Int, clock: TimeSource) {
        table = Lock(ErrorTable(capacity: capacity))
        self.clock = clock
    }

    /// All groups as they are now.
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
