// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// In which functions of the program the calls of an operation spend the time that they take longer.
///
/// A function grows by the processor time of a call in it and in what it calls. The innermost functions come first, and a caller
/// grows only by what is not in them. That any function is named which does not grow has a probability of at most ``level``, if
/// parts of the time are independent: by Student's t over the parts, shared among all functions (Bonferroni), with a variance not
/// below that of as many independent samples. Samples of one call resemble each other, which the parts show.
struct RegressionFunctions: Hashable, Sendable {
    /// By how many seconds a function grows, and its share of what a call takes longer, which is at least `least`.
    struct Function: Hashable, Sendable {
        let name: String
        let seconds: Double
        let share: Double
        let least: Double
    }

    static let level = 0.05
    private static let leastShare = 0.1
    static let leastParts = 3
    /// Of the time after.
    private static let leastSamples = 20

    /// By how many seconds a call takes longer.
    let seconds: Double
    /// The most by which its processor time grows.
    let processor: Double
    let functions: [Function]

    /// - Returns: Nil if there are too few parts, or if calls do not take longer for sure.
    init?(before: [ProfiledCalls], after: [ProfiledCalls]) {
        guard min(before.count, after.count) >= Self.leastParts else { return nil }
        let (names, degrees) = (Self.candidates(after), Double(before.count + after.count - 2))
        let level = 1 - Self.level / Double(names.count + 2)
        guard let reach = try? StudentDistribution(degrees: degrees).quantile(level) else { return nil }
        func growth(_ amount: (ProfiledCalls) -> (seconds: Double, samples: Int)) -> (value: Double, error: Double) {
            let (old, new) = (ProfiledCalls.mean(before, amount), ProfiledCalls.mean(after, amount))
            return (new.value - old.value, reach * (old.variance + new.variance).squareRoot())
        }
        let (total, used) = (growth { ($0.seconds, 0) }, growth { $0.used { _ in true } })
        guard total.value > total.error else { return nil }
        var (claimed, found): (Set<String>, [Function]) = ([], [])
        for name in names {
            let own = growth { part in part.used { $0.isIn(name, except: claimed) } }
            let (share, least) = (own.value / total.value, (own.value - own.error) / (total.value + total.error))
            guard least > 0, share >= Self.leastShare else { continue }
            claimed.insert(name)
            found.append(Function(name: name, seconds: own.value, share: min(1, share), least: min(1, least)))
        }
        (seconds, processor) = (total.value, max(0, used.value + used.error))
        functions = found.sorted { $0.seconds > $1.seconds }
    }

    /// One sentence; nil if neither functions nor waits are known to be the cause.
    var sentence: String? {
        let more = "of \(QuantityFormat.time(seconds)) more per call"
        func percent(_ share: Double) -> String { "\(Int(share * 100)) %" }
        let parts = functions.prefix(3).map { function in
            let sure = function == functions[0] ? " with \(percent(1 - Self.level)) confidence" : ""
            return "\(QuantityFormat.time(function.seconds)) (\(percent(function.share)), "
                + "at least \(percent(function.least))\(sure)) are in \(function.name.prefix(80))"
        }
        if !parts.isEmpty { return "\(more), \(parts.joined(separator: ", and "))" }
        guard processor < seconds / 2 else { return nil }
        return "\(more), at most \(QuantityFormat.time(processor)) are processor time: calls wait longer"
    }

    /// The functions that may be named, the innermost first.
    private static func candidates(_ parts: [ProfiledCalls]) -> [String] {
        var found: [String: SIMD2<Double>] = [:]
        for stack in parts.flatMap(\.stacks) {
            for (depth, name) in stack.names.enumerated() where stack.names.lastIndex(of: name) == depth {
                found[name, default: .zero] += SIMD2(1, Double(depth)) * Double(stack.samples)
            }
        }
        let depths = found.filter { $1.x >= Double(leastSamples) }.mapValues { $0.y / $0.x }
        return depths.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
}

/// A part of the time before or after an operation became slower: its calls, and what they used the processor for.
struct ProfiledCalls: Sendable {
    /// The functions of the program, the outermost one first.
    struct Stack: Sendable {
        let names: [String]
        let samples: Int
        let seconds: Double

        /// Whether a function is there, and calls none of the others.
        func isIn(_ name: String, except others: Set<String>) -> Bool {
            guard let last = names.lastIndex(of: name) else { return false }
            return !names[(last + 1)...].contains(where: others.contains)
        }
    }

    static let mostSamples = 100

    let calls: Double
    let seconds: Double
    let stacks: [Stack]
    /// The processor time of a sample.
    private let tick: Double

    /// Takes at most 100 samples, evenly spread, with their 16 innermost functions: together some hundred KB in a ``CallHistory``.
    ///
    /// - Returns: Nil if the profiler has less than half of the part, which is so many seconds long.
    init?(_ calls: Double, taking seconds: Double, _ action: String, _ profile: Profile, of length: Double) {
        let covered = profile.end.seconds(since: profile.start)
        guard covered >= length / 2 else { return nil }
        let sampled = profile.stacks.compactMap { stack -> (stack: Profile.Stack, names: [String])? in
            let frames = stack.frames.map { profile.frames[$0] }
            guard stack.samples > 0, let first = frames.firstIndex(where: { $0.isOperation && $0.name == action })
            else { return nil }
            return (stack, frames[first...].filter(\.isOwnFunction).suffix(16).map(\.name))
        }
        var all = Profile.Stack(frames: [])
        for (stack, _) in sampled { all.add(stack) }
        let most = min(Self.mostSamples, all.samples)
        (self.calls, self.seconds) = (calls, seconds)
        let time = Double(all.processor) / 1e9 * length / covered
        let tick = most > 0 ? time / Double(most) : 1 / Double(max(1, profile.rate))
        self.tick = tick
        var (passed, found): (Int, [[String]: Int]) = (0, [:])
        for (stack, names) in sampled {
            let (first, last) = (passed * most / all.samples, (passed + stack.samples) * most / all.samples)
            passed += stack.samples
            if last > first { found[names, default: 0] += last - first }
        }
        stacks = found.map { Stack(names: $0, samples: $1, seconds: Double($1) * tick) }
    }

    func used(_ isWanted: (Stack) -> Bool) -> (seconds: Double, samples: Int) {
        stacks.filter(isWanted).reduce((0, 0)) { ($0.0 + $1.seconds, $0.1 + $1.samples) }
    }

    /// What a call has of something, by parts, and how exact that is. What is not sampled has 0 samples.
    static func mean(
        _ parts: [Self],
        _ amount: (Self) -> (seconds: Double, samples: Int)
    ) -> (value: Double, variance: Double) {
        let (amounts, calls) = (parts.map(amount), parts.reduce(0) { $0 + $1.calls })
        let mean = amounts.reduce(0) { $0 + $1.seconds } / calls
        let squares = zip(parts, amounts).reduce(0) { sum, part in
            let difference = (part.1.seconds - mean * part.0.calls) / calls
            return sum + difference * difference
        }
        let samples = amounts.reduce(0) { $0 + $1.samples }
        // Without a sample one may have been missed by chance.
        let tick = samples > 0 || mean == 0 ? (parts.map(\.tick).max() ?? 0) / calls : 0
        let variance = squares * Double(parts.count) / Double(parts.count - 1)
        return (mean, max(variance, tick * tick * Double(max(1, samples))))
    }
}

extension Profile.Frame {
    /// Whether it is a function of the program, and not of the system or of Swift's runtime.
    fileprivate var isOwnFunction: Bool {
        kind == .function && !(module ?? "").hasPrefix("lib") && !name.hasPrefix("swift_")
    }
}

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
