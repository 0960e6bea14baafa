// SPDX-License-Identifier: Apache-2.0

/// A property of operations, as the number of a label of each.
struct Factor {
    /// Which sets of labels are compared with the others.
    enum Sets { case each, above, between }

    /// The most labels of values.
    private static let most = 32

    let name: String
    let sets: Sets
    /// Of each operation.
    let labels: [Int]
    /// How many labels can be part of a set. Operations with a higher label have none of them.
    let count: Int
    /// Describes the operations with one of these labels.
    let phrase: (Range<Int>) -> String

    /// A property with values. Operations with rare values have no label.
    ///
    /// - Parameters:
    ///   - phrase: What stands before a value.
    ///   - keys: Of each operation. Those with the same key have the same value.
    ///   - value: That of an operation by its index; nil for none.
    init<Key: Hashable>(_ name: String, _ phrase: String, _ keys: [Key], value: (Int) -> String?) {
        var (known, numbers, counts): ([Key: Int], [String?: Int], [Int]) = ([:], [:], [])
        for (index, key) in keys.enumerated() {
            let number = known[key] ?? numbers[value(index), default: counts.count]
            if number == counts.count {
                numbers[value(index)] = number
                counts.append(0)
            }
            known[key] = number
            counts[number] += 1
        }
        let ranked = numbers.sorted { (counts[$1.value], $0.key ?? "") < (counts[$0.value], $1.key ?? "") }
        (self.name, sets, count) = (name, .each, min(ranked.count, Self.most))
        var labels = counts.map { _ in Self.most }
        for (label, entry) in ranked.prefix(Self.most).enumerated() { labels[entry.value] = label }
        self.labels = keys.map { labels[known[$0] ?? 0] }
        self.phrase = { labels in
            ranked[labels.lowerBound].key.map { "\(phrase) \($0.clipped(80))" } ?? "calls without a recorded \(name)"
        }
    }

    /// A property with numbers.
    ///
    /// - Parameters:
    ///   - bounds: The least number of each label, ascending.
    ///   - phrase: As the property, of labels and of the bounds without repetitions.
    init(
        _ name: String,
        _ sets: Sets,
        _ numbers: [Double],
        _ bounds: [Double],
        phrase: @escaping (Range<Int>, [Double]) -> String
    ) {
        let bounds = Set(bounds).sorted()
        (self.name, self.sets, count) = (name, sets, bounds.count)
        labels = numbers.map { number in bounds.lastIndex { $0 <= number } ?? 0 }
        self.phrase = { phrase($0, bounds) }
    }

    /// The sum of the values of each label; last of those without a label.
    func sums(_ labels: some Sequence<Int>, _ value: (Int) -> Double) -> [Double] {
        var sums = [Double](repeating: 0, count: count + 1)
        for (index, label) in labels.enumerated() { sums[label] += value(index) }
        return sums
    }

    /// The set of labels that divides the operations best: the one with the largest sum of squares between its members and
    /// the others (a tree of regression splits by it), of those whose members have the larger mean. Unlike the explained
    /// sum, it does not grow if a set takes in operations that are like the others, nor if few others are left by chance.
    ///
    /// - Parameters:
    ///   - sums: The sum of the values of each label.
    ///   - counts: How many operations have each label.
    ///   - least: The least number of operations in the set, and outside.
    func best(_ sums: [Double], _ counts: [Double], least: Double) -> (labels: Range<Int>, squares: Double) {
        let (sum, all) = (sums.reduce(0, +), counts.reduce(0, +))
        var best = (labels: 0..<1, squares: 0.0)
        for first in 0..<count {
            var (inside, size) = (0.0, 0.0)
            for last in first..<(sets == .each ? first + 1 : count) {
                (inside, size) = (inside + sums[last], size + counts[last])
                guard size >= least, all - size >= least, sets != .above || last == count - 1 else { continue }
                let explained = inside - size * (sum - inside) / (all - size)
                let squares = explained * explained * (all - size) / size
                if explained > 0, squares > best.squares { best = (first..<last + 1, squares) }
            }
        }
        return best
    }
}
