// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A property of operations, as the number of a label of each.
struct Factor {
    /// Which sets of labels are compared with the others.
    enum Sets { case each, above, between }

    let name: String
    let sets: Sets
    /// Of each operation.
    let labels: [Int]
    /// How many labels can be part of a set. Operations with a higher label have none of them.
    let count: Int
    /// Describes the operations with one of these labels.
    let phrase: (Range<Int>) -> String

    /// - Parameters:
    ///   - phrase: What stands before a value.
    ///   - most: The most labels. Operations with rarer values have none.
    init(_ name: String, _ phrase: String, values: [String?], most: Int) {
        var counts: [String?: Int] = [:]
        for value in values { counts[value, default: 0] += 1 }
        let known = counts.sorted { ($1.value, $0.key ?? "") < ($0.value, $1.key ?? "") }.map(\.key)
        let numbers = Dictionary(known.enumerated().map { ($1, min($0, most)) }) { first, _ in first }
        (self.name, sets, count) = (name, .each, min(known.count, most))
        labels = values.map { numbers[$0] ?? most }
        self.phrase = { labels in
            known[labels.lowerBound].map { "\(phrase) \($0.clipped(80))" } ?? "calls without a recorded \(name)"
        }
    }

    /// - Parameter steps: The most labels, with about as many operations each.
    init(_ name: String, numbers: [Double], steps: Int, _ phrase: @escaping (String) -> String) {
        let sorted = numbers.sorted()
        let bounds = sorted.isEmpty ? [] : (0..<steps).map { sorted[$0 * sorted.count / steps] }
        let distinct = Array(Set(bounds)).sorted()
        (self.name, sets, count) = (name, .above, distinct.count)
        labels = numbers.map { number in max(0, (distinct.firstIndex { $0 > number } ?? distinct.count) - 1) }
        self.phrase = { phrase(QuantityFormat.number(distinct[$0.lowerBound])) }
    }

    /// - Parameter moments: When the operations began, in this order.
    init(moments: [Double], steps: Int) {
        let steps = min(steps, moments.count)
        (name, sets, count) = ("time", .between, steps)
        labels = moments.indices.map { $0 * steps / moments.count }
        phrase = { labels in
            func begin(_ label: Int) -> String {
                DiagnosisEvidence.time(moments[(label * moments.count + steps - 1) / steps])
            }
            if labels.upperBound == steps { return "calls since \(begin(labels.lowerBound))" }
            let end = begin(labels.upperBound)
            return labels.lowerBound == 0 ? "calls before \(end)" : "calls from \(begin(labels.lowerBound)) to \(end)"
        }
    }
}

extension Factor {
    /// The sum of the values of each label; last of those without a label.
    func sums(_ labels: [Int], _ value: (Int) -> Double) -> [Double] {
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
