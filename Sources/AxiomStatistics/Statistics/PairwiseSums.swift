// SPDX-License-Identifier: Apache-2.0

/// All sums of one number of each of two lists, in order of size, without making them: n·m sums are searched in
/// (n + m) · 64 steps.
///
/// The sums form a matrix whose rows and columns are sorted, so that one walk along its border between "up to v" and
/// "above v" counts the former (Johnson and Mizoguchi, "Selecting the kth element in X + Y", 1978). The search for v
/// halves the range of bit patterns, which are ordered as the numbers are: it ends at the very sum.
struct PairwiseSums {
    private let left: [Double]
    private let right: [Double]
    /// Whether both lists are the same and each pair is meant once, with the pairs of a number with itself.
    private let isTriangular: Bool

    /// The differences `second - first` of two samples.
    init(from first: [Double], to second: [Double]) {
        left = first.map { -$0 }.sorted()
        right = second.sorted()
        isTriangular = false
    }

    /// The Walsh averages of one sample: the means of all pairs, each number paired with itself too.
    init(walshAveragesOf values: [Double]) {
        left = values.map { $0 / 2 }.sorted()
        right = left
        isTriangular = true
    }

    /// How many sums there are.
    var count: Int {
        isTriangular ? left.count * (left.count + 1) / 2 : left.count * right.count
    }

    /// The sum of the given rank; the first has rank 1.
    func sum(rank: Int) -> Double {
        var low = Self.ordered(-Double.infinity)
        var high = Self.ordered(.infinity)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if count(upTo: Self.number(middle)) < rank { low = middle } else { high = middle }
        }
        // Adding 0 turns -0 into 0.
        return Self.number(high) + 0
    }

    /// The middle sum; the mean of the two in the middle when their number is even.
    var median: Double {
        let upper = sum(rank: count / 2 + 1)
        return count % 2 == 1 ? upper : sum(rank: count / 2) / 2 + upper / 2
    }

    private func count(upTo limit: Double) -> Int {
        var total = 0
        var diagonal = 0
        var end = right.count
        for (row, value) in left.enumerated() {
            while end > 0, value + right[end - 1] > limit { end -= 1 }
            total += end
            if isTriangular, row < end { diagonal += 1 }
        }
        return isTriangular ? (total + diagonal) / 2 : total
    }

    private static func ordered(_ number: Double) -> UInt64 {
        let bits = number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func number(_ ordered: UInt64) -> Double {
        Double(bitPattern: ordered >> 63 == 1 ? ordered ^ 1 << 63 : ~ordered)
    }
}
