// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// The calls of an operation in the last 15 minutes, which is what profilers keep, by window.
struct CallHistory: Sendable {
    private typealias Window = (start: Double, calls: Double, seconds: Double)

    private static let range = 900.0
    /// The most parts of the time before, and of the time after.
    private static let parts = 6

    private var windows: [Window] = []

    mutating func add(_ window: ProfileWindow) {
        guard window.durations.sum > 0 else { return }
        windows.append((window.start, Double(window.requests), window.durations.sum))
        windows.removeAll { $0.start <= window.start - Self.range }
    }

    /// The number of the first window after the step up that explains most of how mean durations vary; nil without one.
    private var step: Int? {
        let levels = windows.map { log($0.seconds / $0.calls) }
        let total = levels.reduce(0, +)
        var (sum, best): (Double, (gain: Double, index: Int?)) = (0, (0, nil))
        for index in levels.indices {
            let (before, after) = (Double(index), Double(levels.count - index))
            let shift = (total - sum) / after - sum / max(before, 1)
            let gain = shift * shift * before * after
            if min(before, after) >= 3, shift > 0, gain > best.gain { best = (gain, index) }
            sum += levels[index]
        }
        return best.index
    }

    /// What grew at the step; nil if that is not known, or if the step is less than half of the growth since the baseline. Cost: up
    /// to twelve profiles.
    ///
    /// - Parameters:
    ///   - action: The name of the operation's frames.
    ///   - length: Of a window, in seconds.
    ///   - now: On the clock of the windows.
    ///   - baseline: The mean duration in the baseline, in seconds.
    func changes(
        of action: String,
        _ profiler: any ProfileSource,
        length: Double,
        now: Double,
        baseline: Double
    ) -> ChangedFunctions? {
        guard let step else { return nil }
        let sides = [windows[..<step], windows[step...]]
        let means = sides.map { side in side.reduce(0) { $0 + $1.seconds } / side.reduce(0) { $0 + $1.calls } }
        guard means[1] - means[0] >= (means[1] - baseline) / 2 else { return nil }
        let profiled = sides.map { side -> [ProfiledCalls] in
            let size = max((side.count + Self.parts - 1) / Self.parts, Int((10 / length).rounded(.up)))
            return stride(from: side.startIndex, to: side.endIndex, by: size).compactMap { first -> ProfiledCalls? in
                let part = side[first..<min(side.endIndex, first + size)]
                let end = (part.last?.start ?? now) + length
                let seconds = end - (part.first?.start ?? end)
                var query = ProfileQuery()
                (query.action, query.hasLines) = (action, false)
                (query.seconds, query.ago) = (Int(seconds.rounded()), Int(max(0, now - end).rounded()))
                let calls = part.reduce((0.0, 0.0)) { ($0.0 + $1.calls, $0.1 + $1.seconds) }
                return ProfiledCalls(calls.0, taking: calls.1, profiler.profile(query), of: seconds)
            }
        }
        return ChangedFunctions(before: profiled[0], after: profiled[1])
    }
}
