// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// Saved files in the order of time, and how a metric changed from one to the next.
struct SavedHistory {
    /// One number of one file.
    struct Point {
        let file: BaselineFile
        let median: Double
    }

    /// A change of the level of a benchmark.
    struct Move {
        /// The index of the first file of the new level, and of the first one after it.
        let range: Range<Int>
        /// The first file of the new level.
        let file: BaselineFile
        /// The relative change, and its interval if there is one.
        let change: Double
        var interval: ClosedRange<Double>?
        /// The file with which the old level returned, if it did so within ``fewFiles``.
        var returned: BaselineFile?
    }

    /// The numbers of a metric of a benchmark, and where they changed.
    struct Series {
        let benchmark: String
        let unit: String
        let points: [Point]
        /// Where levels begin and end, from 0 to the number of points.
        let ends: [Int]
        /// The median of each level.
        let levels: [Double]
        let moves: [Move]
    }

    /// A level of at most so many files that is followed by the old one went away.
    static let fewFiles = 8

    let files: [BaselineFile]
    let metric: String

    init(_ files: [BaselineFile], metric: String) {
        self.files = files.sorted { Self.date(of: $0) < Self.date(of: $1) }
        self.metric = metric
    }

    /// The time of the numbers: a file whose numbers were replaced keeps the date of its creation.
    static func date(of file: BaselineFile) -> String {
        max(file.createdAt, file.history.last?.at ?? "")
    }

    /// The median of a benchmark in each file; nil if it has none.
    func medians(_ id: String) -> [Double?] {
        files.map { file in
            guard let record = file.benchmarks.first(where: { $0.id == id }) else { return nil }
            // Processes differ more than the samples of one process: each process counts once.
            return try? Statistics.median(FileComparison.values(record, metric))
        }
    }

    /// The unit and the kind of the metric; nil if no file has it.
    func recorded(_ id: String) -> RecordedMetric? {
        files.lazy.compactMap { file in file.benchmarks.first { $0.id == id }?.metrics[metric] }.last
    }

    /// The files whose times are comparable with the last one: the same kind of machine and build.
    var comparable: [BaselineFile] {
        guard let last = files.last else { return [] }
        return files.filter {
            $0.fingerprint.match(last.fingerprint).isMatch && $0.build.configuration == last.build.configuration
        }
    }

    /// The series of all benchmarks. If nothing moved, the probability of finding any move is at most `alpha`.
    func series(_ ids: [String], alpha: Double, seed: UInt64) -> [Series] {
        let judged = ids.filter { recorded($0).map(Self.isNoisy) ?? false }
        // Bonferroni: each series has its share.
        let finder = ChangePoints(level: alpha / Double(max(1, judged.count)), seed: seed)
        return ids.compactMap { id in
            guard let recorded = recorded(id) else { return nil }
            let isNoisy = Self.isNoisy(recorded)
            let points = points(id, isNoisy ? comparable : files)
            let found = isNoisy ? finder.find(points.map(\.median)) : exact(recorded, points)
            let ends = [0] + found.map(\.index) + [points.count]
            let levels = zip(ends, ends.dropFirst()).map { Self.level(points[$0..<$1]) }
            let moves = moves(points, ends, levels, found)
            return Series(
                benchmark: id,
                unit: recorded.unit,
                points: points,
                ends: ends,
                levels: levels,
                moves: moves
            )
        }
    }

    private static func isNoisy(_ recorded: RecordedMetric) -> Bool {
        let kind = MetricPrecision(named: recorded.kind)
        return kind != .exact && kind != .nearExact
    }

    private func points(_ id: String, _ files: [BaselineFile]) -> [Point] {
        let part = SavedHistory(files, metric: metric)
        return zip(part.files, part.medians(id)).compactMap { file, median in
            median.map { Point(file: file, median: $0) }
        }
    }

    /// A count moves if the number changes.
    private func exact(_ recorded: RecordedMetric, _ points: [Point]) -> [ChangePoint] {
        let floor = recorded.kind == MetricPrecision.exact.name ? 0 : CountJudge.nearExactFloor
        return points.indices.dropFirst().compactMap { index in
            let (old, new) = (points[index - 1].median, points[index].median)
            return abs(new - old) > floor * abs(old) ? ChangePoint(index: index, pValue: 0, shift: nil) : nil
        }
    }

    /// The moves, without those with which an old level returned after a few files.
    private func moves(_ points: [Point], _ ends: [Int], _ levels: [Double], _ found: [ChangePoint]) -> [Move] {
        var moves: [Move] = []
        var position = 0
        while position < found.count {
            let range = ends[position + 1]..<ends[position + 2]
            let (old, new) = (levels[position], levels[position + 1])
            var move = Move(range: range, file: points[range.lowerBound].file, change: new / old - 1)
            move.interval = found[position].shift.map { expm1($0.lower)...expm1($0.upper) }
            position += 1
            if position < found.count, range.count <= Self.fewFiles,
                3 * abs(levels[position + 1] - old) <= abs(new - old)
            {
                move.returned = points[range.upperBound].file
                position += 1
            }
            moves.append(move)
        }
        return moves
    }

    private static func level(_ points: ArraySlice<Point>) -> Double {
        (try? Statistics.median(points.map(\.median))) ?? .nan
    }
}
