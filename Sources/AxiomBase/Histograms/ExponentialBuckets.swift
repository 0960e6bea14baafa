// SPDX-License-Identifier: Apache-2.0

/// The counts of consecutive exponential buckets, from the first used bucket to the last.
package struct ExponentialBuckets: Hashable, Sendable {
    /// The index of the first bucket; 0 if there is none.
    package private(set) var offset: Int
    /// The counts, starting with bucket `offset`. The first and the last are not 0.
    package private(set) var counts: [UInt64]

    /// No buckets.
    package static let none = ExponentialBuckets(offset: 0, counts: [])

    /// Takes counts, starting with bucket `offset`. Empty buckets at both ends are dropped.
    package init(offset: Int, counts: [UInt64]) {
        let first = counts.firstIndex { $0 != 0 } ?? 0
        let end = (counts.lastIndex { $0 != 0 } ?? -1) + 1
        self.counts = first < end ? Array(counts[first..<end]) : []
        self.offset = first < end ? offset + first : 0
    }

    /// Whether there are no observations.
    package var isEmpty: Bool { counts.isEmpty }

    package var indices: Range<Int> { offset..<(offset + counts.count) }

    /// The sum of the counts.
    package var total: UInt64 { counts.reduce(0, &+) }

    /// The count of one bucket; 0 outside ``indices``.
    package subscript(index: Int) -> UInt64 {
        indices.contains(index) ? counts[index - offset] : 0
    }

    /// The maximal runs of non-empty buckets, which native histograms call spans.
    ///
    /// - Parameter gap: How many consecutive empty buckets a run may contain. One run with a gap of 1 or 2 takes fewer
    ///   bytes than two runs.
    package func runs(bridging gap: Int = 0) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        while let run = nextRun(from: runs.last?.upperBound ?? .min, bridging: gap) { runs.append(run) }
        return runs
    }

    /// The first of the ``runs(bridging:)`` that starts at bucket `index` or later; nil if there is none.
    package func nextRun(from index: Int, bridging gap: Int = 0) -> Range<Int>? {
        let start = Swift.max(index, offset) - offset
        guard start < counts.count, let first = counts[start...].firstIndex(where: { $0 != 0 }) else { return nil }
        var end = first + 1
        var position = end
        while position < counts.count, position - end <= gap {
            if counts[position] != 0 { end = position + 1 }
            position += 1
        }
        return (offset + first)..<(offset + end)
    }

    /// Adds `count` to one bucket. The caller bounds the range of the indices, and so the memory.
    mutating func add(_ count: UInt64, at index: Int) {
        guard count > 0 else { return }
        cover(index..<(index + 1))
        counts[index - offset] &+= count
    }

    /// Adds the counts of other buckets of the same schema.
    mutating func merge(_ other: ExponentialBuckets) {
        guard !other.isEmpty else { return }
        cover(other.indices)
        for (position, count) in other.counts.enumerated() {
            counts[other.offset - offset + position] &+= count
        }
    }

    /// The counts without those of an earlier state, which has the same schema. Each count has only grown.
    func subtracting(_ earlier: ExponentialBuckets) -> ExponentialBuckets {
        guard !earlier.isEmpty else { return self }
        return ExponentialBuckets(offset: offset, counts: indices.map { self[$0] &- min(self[$0], earlier[$0]) })
    }

    /// Merges the buckets that are one bucket at a schema lower by `steps`.
    mutating func downscale(by steps: Int) {
        guard steps > 0, !isEmpty else { return }
        let first = ExponentialScale.coarsened(offset, by: steps)
        let last = ExponentialScale.coarsened(indices.upperBound - 1, by: steps)
        var coarse = [UInt64](repeating: 0, count: last - first + 1)
        for (position, count) in counts.enumerated() {
            coarse[ExponentialScale.coarsened(offset + position, by: steps) - first] &+= count
        }
        self = ExponentialBuckets(offset: first, counts: coarse)
    }

    /// Removes the buckets up to and including `index` and returns the sum of their counts.
    mutating func removeAll(through index: Int) -> UInt64 {
        let dropped = min(max(index - offset + 1, 0), counts.count)
        let total = counts[..<dropped].reduce(0, &+)
        self = ExponentialBuckets(offset: offset + dropped, counts: Array(counts[dropped...]))
        return total
    }

    private mutating func cover(_ range: Range<Int>) {
        if isEmpty {
            offset = range.lowerBound
            counts = [UInt64](repeating: 0, count: range.count)
            return
        }
        if range.lowerBound < offset {
            counts.insert(contentsOf: repeatElement(0, count: offset - range.lowerBound), at: 0)
            offset = range.lowerBound
        }
        let missing = range.upperBound - indices.upperBound
        if missing > 0 { counts.append(contentsOf: repeatElement(0, count: missing)) }
    }
}
