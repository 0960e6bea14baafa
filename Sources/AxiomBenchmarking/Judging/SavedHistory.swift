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

    /// A metric of a benchmark that moved.
    struct Move {
        let benchmark: String
        /// The first file of the new level.
        let file: BaselineFile
        /// The relative change, and its interval if there is one.
        let change: Double
        var interval: ClosedRange<Double>?
    }

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

    /// The moves of all benchmarks. If nothing moved, the probability of finding any is at most `alpha`.
    func moves(_ ids: [String], alpha: Double, seed: UInt64) -> [Move] {
        let judged = ids.filter { recorded($0).map(Self.isNoisy) ?? false }
        // Bonferroni: each series has its share.
        let finder = ChangePoints(level: alpha / Double(max(1, judged.count)), seed: seed)
        return ids.flatMap { id -> [Move] in
            guard let recorded = recorded(id) else { return [] }
            let isNoisy = Self.isNoisy(recorded)
            let points = points(id, isNoisy ? comparable : files)
            return isNoisy ? noisy(id, points, finder) : exact(id, points)
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
    private func exact(_ id: String, _ points: [Point]) -> [Move] {
        let floor = recorded(id).map { $0.kind == MetricPrecision.exact.name } ?? true ? 0 : CountJudge.nearExactFloor
        return zip(points, points.dropFirst()).compactMap { old, new in
            guard abs(new.median - old.median) > floor * abs(old.median) else { return nil }
            return Move(benchmark: id, file: new.file, change: new.median / old.median - 1)
        }
    }

    private func noisy(_ id: String, _ points: [Point], _ finder: ChangePoints) -> [Move] {
        let found = finder.find(points.map(\.median))
        return found.enumerated().map { position, point in
            let start = position == 0 ? 0 : found[position - 1].index
            let end = position + 1 < found.count ? found[position + 1].index : points.count
            var move = Move(
                benchmark: id,
                file: points[point.index].file,
                change: Self.level(points[point.index..<end]) / Self.level(points[start..<point.index]) - 1
            )
            move.interval = point.shift.map { expm1($0.lower)...expm1($0.upper) }
            return move
        }
    }

    private static func level(_ points: ArraySlice<Point>) -> Double {
        (try? Statistics.median(points.map(\.median))) ?? .nan
    }
}
