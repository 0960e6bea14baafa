// SPDX-License-Identifier: Apache-2.0

/// The functions whose processor time differs between two builds. Times are nanoseconds of an iteration.
package struct ChangedFunctions: Encodable, Hashable, Sendable {
    package struct Function: Encodable, Hashable, Sendable {
        package let name: String
        /// What the function takes more, without its callees.
        package let change: Double
        /// In the change of the whole benchmark; negative if it became faster.
        package let share: Double
        /// The ends of the interval of the change that holds with the confidence of the run.
        let low: Double
        let high: Double
        /// 1 less the p-value, adjusted for all functions that were compared.
        let confidence: Double
    }

    /// The functions, those that take the most more first.
    package internal(set) var named: [Function] = []
    /// Functions between which time moved: what one gained another one lost.
    var moved: [[String]] = []
    /// Of the whole benchmark, as the samples have it.
    var change = 0.0
    /// Why no function is named.
    package internal(set) var reason: String?
    package internal(set) var rounds = 0
    /// Of each build.
    package internal(set) var samples = 0
    var tree = DifferenceTree()

    /// Without the tree.
    private enum CodingKeys: CodingKey { case named, moved, change, reason, rounds, samples }

    init(reason: String? = nil) { self.reason = reason }

    /// What was compared, or why nothing is named.
    var words: String {
        guard !named.isEmpty else { return "no function is named (\(reason ?? "none changed"))" }
        let folds = moved.map { "; time moved between \($0.joined(separator: " and ")), which is not named" }
        return "functions that changed, by \(samples) samples of each build in \(rounds) rounds\(folds.joined())"
    }
}

/// The stacks of two builds in one tree, with nanoseconds of an iteration.
struct DifferenceTree: Hashable, Sendable {
    var (old, new) = (0.0, 0.0)
    private(set) var children: [String: DifferenceTree] = [:]

    init() {}

    /// - Parameter renamed: The new names of functions by the old ones.
    init(old: StackCosts, new: StackCosts, renamed: [String: String]) {
        for (stack, time) in old.stacks {
            add(stack.map { renamed[$0] ?? $0 }[...], \.old, time / Double(max(1, old.iterations)))
        }
        for (stack, time) in new.stacks { add(stack[...], \.new, time / Double(max(1, new.iterations))) }
        // What calls everything explains nothing.
        while children.count == 1, let only = children.first?.value, !only.children.isEmpty { self = only }
    }

    private mutating func add(_ stack: ArraySlice<String>, _ side: WritableKeyPath<Self, Double>, _ time: Double) {
        self[keyPath: side] += time
        guard let first = stack.first else { return }
        children[first, default: DifferenceTree()].add(stack.dropFirst(), side, time)
    }
}
