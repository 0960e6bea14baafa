// SPDX-License-Identifier: Apache-2.0

/// The ranks of values, where equal ones share the mean of their ranks; doubled, so that they are whole numbers.
struct Midranks {
    /// Twice the rank of each value, in the order of the values.
    let doubled: [Int]
    /// The sum of t³ - t over the groups of t equal values.
    let tieTerm: Double

    /// Whether some values are equal.
    var hasTies: Bool { tieTerm > 0 }

    /// Ranks the values. Cost: a sort.
    init(_ values: [Double]) {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var doubled = [Int](repeating: 0, count: values.count)
        var tieTerm = 0.0
        var first = 0
        while first < order.count {
            var end = first + 1
            while end < order.count, values[order[end]] == values[order[first]] { end += 1 }
            for position in first..<end { doubled[order[position]] = first + 1 + end }
            let size = Double(end - first)
            tieTerm += size * size * size - size
            first = end
        }
        self.doubled = doubled
        self.tieTerm = tieTerm
    }
}
