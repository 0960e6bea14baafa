// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// Counts what was missing from pages, and reports each problem at most once a minute.
final class ProblemReports: Sendable {
    /// Why something is missing, as the label of the registry's own counter says.
    enum Reason: String, CaseIterable {
        case failed
        case late
        case invalid

        init(_ code: MetricsError.Code) {
            switch code {
            case .collectorFailed: self = .failed
            case .collectorLate: self = .late
            default: self = .invalid
            }
        }
    }

    fileprivate struct State {
        var counts: [Reason: UInt64] = [:]
        /// When each problem was last reported.
        var reported: [String: Instant] = [:]
    }

    static let interval = Duration.seconds(60)
    /// The most problems whose reports are remembered.
    fileprivate static let capacity = 1_024

    private let onProblem: @Sendable (MetricsError) -> Void
    /// Guarded by its lock, which is not held while `onProblem` runs.
    private let state = Lock(State())

    init(_ onProblem: @escaping @Sendable (MetricsError) -> Void) {
        self.onProblem = onProblem
    }

    /// How many problems there were for each reason.
    var counts: [Reason: UInt64] { state.withLock { $0.counts } }

    /// Counts problems of one page and reports those that are due.
    func record(_ problems: [MetricsError], at now: Instant) {
        guard !problems.isEmpty else { return }
        let due = state.withLock { state in
            problems.filter { problem in
                state.counts[Reason(problem.code), default: 0] += 1
                return state.isDue(problem, now)
            }
        }
        for problem in due { onProblem(problem) }
    }
}

extension ProblemReports.State {
    /// Whether a problem was not reported for a minute. From now on it was.
    fileprivate mutating func isDue(_ problem: MetricsError, _ now: Instant) -> Bool {
        // The message may hold a value that differs each time.
        let key = "\(problem.code) \(problem.family ?? problem.message)"
        if let last = reported[key], last.advanced(by: ProblemReports.interval) > now { return false }
        if reported.count >= ProblemReports.capacity { reported = [:] }
        reported[key] = now
        return true
    }
}

extension MetricsError {
    /// Has a line written, by another thread, about something that is missing from a page to a file descriptor, by default standard error, as a
    /// registry does by default. Control characters are written as `\\u{…}`.
    public func log(to descriptor: Int32 = 2) {
        WarningLine.write("a metric is missing from the page: \(WarningLine.printable(description))", to: descriptor)
    }
}
