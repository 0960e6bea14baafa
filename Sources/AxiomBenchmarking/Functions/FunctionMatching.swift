// SPDX-License-Identifier: Apache-2.0

/// Which functions of two builds are the same. A function that only one build has is a part of its caller: the compiler, or a
/// person, has put it into the caller, or taken it out. A renamed function is paired with its new name.
struct FunctionMatching {
    /// The parts of the time that a function has of each caller, `<name`, and callee, `>name`; itself is a callee without a name.
    private typealias Neighbours = [String: Double]

    /// How much of their time and neighbours two names must have in common, and the time of those that are compared.
    private static let (leastSimilarity, leastTime) = (0.5, 0.002)

    /// The functions of both builds, by their new names.
    private var common: Set<String>
    /// The new names of renamed functions by the old ones.
    private(set) var renamed: [String: String] = [:]

    init(old: StackCosts, new: StackCosts) {
        let (before, after) = (Self.neighbours(old), Self.neighbours(new))
        common = Set(before.keys).intersection(after.keys)
        // A pair makes its callees more similar: they have the same caller then.
        while let pair = bestPair(before, after) {
            renamed[pair.old] = pair.new
            common.insert(pair.new)
        }
    }

    /// The functions of a stack that both builds have, by their new names.
    func shared(_ stack: [String], isNew: Bool) -> [String] {
        stack.map { isNew ? $0 : renamed[$0] ?? $0 }.filter(common.contains)
    }

    private static func neighbours(_ costs: StackCosts) -> [String: Neighbours] {
        var found: [String: Neighbours] = [:]
        let whole = costs.time
        for (stack, time) in costs.stacks where time > 0 {
            let own = stack.filter { !StackCosts.isOfLibrary($0) }
            for (index, name) in own.enumerated() {
                let callee = index + 1 < own.count ? own[index + 1] : ""
                found[name, default: [:]]["<" + (index > 0 ? own[index - 1] : ""), default: 0] += time / whole
                found[name, default: [:]][">" + callee, default: 0] += time / whole
            }
        }
        return found
    }

    private func bestPair(_ old: [String: Neighbours], _ new: [String: Neighbours]) -> (old: String, new: String)? {
        func unpaired(_ all: [String: Neighbours], _ isPaired: (String) -> Bool) -> [String] {
            all.filter { !isPaired($0.key) && $0.value.values.reduce(0, +) >= 2 * Self.leastTime }.keys.sorted()
        }
        let (gone, come) = (unpaired(old) { common.contains($0) || renamed[$0] != nil }, unpaired(new, common.contains))
        let pairs = gone.flatMap { one in come.map { (old: one, new: $0, like: similarity(old[one], new[$0])) } }
        let best = pairs.filter { $0.like >= Self.leastSimilarity }.max { $0.like < $1.like }
        return best.map { ($0.old, $0.new) }
    }

    /// The part that both have in common of the larger one.
    private func similarity(_ old: Neighbours?, _ new: Neighbours?) -> Double {
        guard let old, let new else { return 0 }
        let same = old.reduce(0) { sum, part in
            let name = String(part.key.dropFirst())
            return sum + min(part.value, new["\(part.key.prefix(1))\(renamed[name] ?? name)"] ?? 0)
        }
        return same / max(old.values.reduce(0, +), new.values.reduce(0, +))
    }
}
