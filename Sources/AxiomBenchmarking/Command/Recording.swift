// SPDX-License-Identifier: Apache-2.0

internal import AxiomProfile
internal import Foundation

/// Measures this build alone, for a report and a file.
struct Recording {
    private let benchmarks: [BenchmarkInfo]
    private let settings: RunSettings
    private(set) var records: [BenchmarkRecord] = []
    private(set) var crashes: [String: BenchmarkError] = [:]

    init(_ benchmarks: [BenchmarkInfo], _ settings: RunSettings) {
        self.benchmarks = benchmarks
        self.settings = settings
    }

    /// Measures everything.
    mutating func measure() -> Report {
        let progress = Progress()
        let session = SoloSession(
            program: .current,
            benchmarks: benchmarks.filter { $0.unmeasured == nil },
            settings: settings,
            progress: progress
        )
        records = session.records()
        crashes = session.crashes
        var builder = ReportBuilder(benchmarks, settings, mode: "solo")
        builder.add(records)
        for benchmark in benchmarks { builder.add(session.lints(benchmark.id), to: benchmark.id) }
        builder.add(
            crashes.sorted { $0.key < $1.key }.map { Finding($0.key, .wall, .crashed, $0.value.description) }
        )
        builder.report.notes += session.notes
        builder.report.notes += crashes.values.map { "crashed: \($0)" }.sorted()
        for (metric, reason) in session.unavailable { builder.report.unavailable[metric.name] = reason }
        return builder.finish(seconds: progress.seconds)
    }
}

/// Baseline files on disk.
enum BaselineStore {
    /// Checks that a file can be saved, before minutes are spent on its contents.
    static func check(_ path: String) throws {
        if let problem = Destination(path).problem { throw BenchmarkError(.baseline, problem) }
        // A file that is not a complete baseline is never replaced.
        if FileManager.default.fileExists(atPath: path) { _ = try BaselineFile.load(from: path) }
    }

    /// Creates the folder and saves the file.
    static func save(_ file: BaselineFile, to path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(.baseline, "could not make the folder \(folder)", cause: "\(error)")
        }
        try file.save(to: path)
    }
}
