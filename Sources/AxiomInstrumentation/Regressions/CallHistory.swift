// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// The calls of an operation while a profiler runs, in the latest 20 parts of the time. A part is cut when it is over, because
/// profilers forget earlier than a regression is found.
struct CallHistory: Sendable {
    static let most = 20
    private static let least = RegressionFunctions.leastParts

    private(set) var parts: [ProfiledCalls] = []
    /// Since the last part.
    private var calls = (count: 0.0, seconds: 0.0)

    mutating func add(_ window: ProfileWindow) {
        calls = (calls.count + Double(window.requests), calls.seconds + window.durations.sum)
    }

    /// Ends a part of so many seconds. Without a profile it is left out.
    mutating func endPart(of operation: TimedOperation, _ profile: Profile?, seconds: Double) {
        defer { calls = (0, 0) }
        guard calls.seconds > 0, let profile else { return }
        let name = "\(operation.component).\(operation.action)"
        guard let part = ProfiledCalls(calls.count, taking: calls.seconds, name, profile, of: seconds) else { return }
        parts.append(part)
        parts.removeFirst(max(0, parts.count - Self.most))
    }

    /// The number of the first part after the step up that explains most of how mean durations vary; nil without one.
    var step: Int? {
        let levels = parts.map { log($0.seconds / $0.calls) }
        let total = levels.reduce(0, +)
        var (sum, best): (Double, (gain: Double, index: Int?)) = (0, (0, nil))
        for index in levels.indices {
            let (before, after) = (Double(index), Double(levels.count - index))
            let shift = (total - sum) / after - sum / max(before, 1)
            let gain = shift * shift * before * after
            if min(index, levels.count - index) >= Self.least, shift > 0, gain > best.gain { best = (gain, index) }
            sum += levels[index]
        }
        return best.index
    }

    /// What grew at the step; nil if that is not known, or if the step is less than half of the growth since the baseline.
    ///
    /// - Parameter baseline: The mean duration in the baseline, in seconds.
    func changes(baseline: Double) -> RegressionFunctions? {
        guard let step else { return nil }
        // The parts beside the step may have some calls of both kinds.
        let before = Array(parts[..<max(Self.least, step - 1)])
        let after = Array(parts[min(step + 1, parts.count - Self.least)...])
        let means = [before, after].map { side in
            side.reduce(0) { $0 + $1.seconds } / side.reduce(0) { $0 + $1.calls }
        }
        guard means[1] - means[0] >= (means[1] - baseline) / 2 else { return nil }
        return RegressionFunctions(before: before, after: after)
    }
}
