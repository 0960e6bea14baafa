// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// How well changes that were found agree with annotations, as the Turing Change Point Detection Benchmark defines it.
struct SegmentationScore {
    /// How far a change that was found may be from an annotated one.
    private static let margin = 5

    var f1: Double
    /// How well the best of the found stretches overlaps each annotated one.
    var covering: Double

    init(f1: Double, covering: Double) {
        (self.f1, self.covering) = (f1, covering)
    }

    init(_ found: [Int], annotations: [[Int]], count: Int) {
        f1 = Self.f1(found, annotations)
        covering = Self.covering(found, annotations, count)
    }

    var words: String { String(format: "F1 %.3f, covering %.3f", f1, covering) }

    /// The harmonic mean of precision, by the changes of all annotators, and of recall, the mean of that of each. The start
    /// of a series counts as a change, so that neither is without a value.
    private static func f1(_ found: [Int], _ annotations: [[Int]]) -> Double {
        let found = Set(found + [0])
        let marks = annotations.map { Set($0 + [0]) }
        let all = marks.reduce(Set()) { $0.union($1) }
        let precision = Double(matches(all, found)) / Double(found.count)
        let recall = marks.reduce(0) { $0 + Double(matches($1, found)) / Double($1.count) } / Double(marks.count)
        return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
    }

    /// How many annotated changes have one of their own that was found near them.
    private static func matches(_ marks: Set<Int>, _ found: Set<Int>) -> Int {
        var left = found
        return marks.sorted().count { mark in
            let near = left.filter { abs($0 - mark) <= margin }.min { (abs($0 - mark), $0) < (abs($1 - mark), $1) }
            guard let near else { return false }
            left.remove(near)
            return true
        }
    }

    private static func covering(_ found: [Int], _ annotations: [[Int]], _ count: Int) -> Double {
        let stretches = stretches(found, count)
        let sums = annotations.map { marks in
            self.stretches(marks, count).reduce(0) { sum, stretch in
                sum + Double(stretch.count) * (stretches.map { overlap(stretch, $0) }.max() ?? 0)
            } / Double(count)
        }
        return sums.reduce(0, +) / Double(sums.count)
    }

    private static func stretches(_ changes: [Int], _ count: Int) -> [Range<Int>] {
        let ends = Set(changes + [0, count]).filter { (0...count).contains($0) }.sorted()
        return zip(ends, ends.dropFirst()).map { $0..<$1 }
    }

    /// The common part of two ranges, as a share of both together.
    private static func overlap(_ first: Range<Int>, _ second: Range<Int>) -> Double {
        let common = first.clamped(to: second).count
        return Double(common) / Double(first.count + second.count - common)
    }
}
