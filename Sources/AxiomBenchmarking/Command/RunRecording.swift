// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// The measurements of this build alone, for a report and a file.
struct RunRecording {
    let report: Report
    let records: [BenchmarkRecord]
    let crashes: [String: BenchmarkError]

    /// Measures everything.
    init(_ benchmarks: [BenchmarkInfo], _ settings: RunSettings) {
        let progress = Progress()
        let session = SoloSession(benchmarks.filter { $0.unmeasured == nil }, settings, progress)
        records = session.records()
        crashes = session.crashes
        var builder = ReportBuilder(benchmarks, settings, mode: "solo")
        builder.add(records)
        for benchmark in benchmarks { builder.add(session.lints(benchmark.id), to: benchmark.id) }
        builder.add(session.crashFindings)
        builder.add(session)
        builder.report.notes += crashes.values.map { "crashed: \($0)" }.sorted()
        report = builder.finish(seconds: progress.seconds)
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
