// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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

    init(capacity: Int) { self.capacity = capacity }

    /// The groups, the most recently active first.
    var groups: [ErrorGroup] { entries.values.sorted { $0.touched > $1.touched }.map(\.group) }

    /// Counts an error that ended.
    ///
    /// - Returns: The number of errors of its group without a line in the log, if this one is to have one.
    mutating func add(
        _ error: EndedError,
        _ fingerprint: ErrorFingerprint,
        _ sample: ErrorGroup.Sample
    ) -> UInt64? {
        var group = entries[fingerprint]?.group ?? ErrorGroup(fingerprint, error.severity, sample)
        group.count += 1
        total += 1
        group.severity = max(group.severity, error.severity)
        group.sample = sample
        group.lastSeen = sample.time
        group.window.add(at: sample.time)
        group.occurrences.add(numbered(ErrorOccurrence(sample, .ended, error.span)))
        defer { store(group) }
        return group.logTurn.take(at: sample.time)
    }

    /// Counts the outcome of a recovery.
    mutating func add(_ report: RecoveryReport, _ fingerprint: ErrorFingerprint, _ sample: ErrorGroup.Sample) {
        let severity = (report.error as? any AxiomError)?.severity ?? .nonCritical
        var group = entries[fingerprint]?.group ?? ErrorGroup(fingerprint, severity, sample)
        group.recoveries.add(report)
        group.lastSeen = sample.time
        if let outcome = ErrorOccurrence.Outcome(report.outcome) {
            group.occurrences.add(numbered(ErrorOccurrence(sample, outcome, report.span)))
        }
        store(group)
    }

    private func numbered(_ occurrence: ErrorOccurrence) -> ErrorOccurrence {
        var occurrence = occurrence
        occurrence.number = reports
        return occurrence
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

extension ErrorOccurrence.Outcome {
    /// Nil for a remedy that failed: the next step settles the error.
    fileprivate init?(_ outcome: RecoveryReport.Outcome) {
        switch outcome {
        case .recovered: self = .recovered
        case .cancelled: self = .cancelled
        case .failed: return nil
        }
    }
}
