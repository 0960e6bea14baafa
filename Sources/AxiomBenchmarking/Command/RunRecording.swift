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

/// The judgement of the goals of this build, for a report.
struct GoalRun {
    let report: Report

    /// Measures and judges. The worst rows are the first.
    ///
    /// - Throws: ``BenchmarkError`` with the code `usage` if a goal refers to none of `all`.
    init(_ selected: [BenchmarkInfo], _ all: [BenchmarkInfo], _ settings: RunSettings) throws(BenchmarkError) {
        let (known, wanted) = (Set(all.map(\.id)), selected.filter { $0.goal != nil })
        for info in wanted {
            guard let other = info.goal?.others.first(where: { !known.contains($0) }) else { continue }
            throw BenchmarkError(.usage, "the goal of \(info.id) refers to \(other), which is no benchmark")
        }
        let session = GoalSession(wanted.filter { $0.unmeasured == nil }, settings, Progress())
        let judges = session.judges(all)
        let verdicts = Dictionary(judges.map { ($0.info.id, $0.verdict) }) { first, _ in first }
        let order: [GoalJudge.Verdict?] = [.missed, .inconclusive, nil, .open, .met]
        let rows = order.flatMap { verdict in wanted.filter { verdicts[$0.id] == verdict } }
        var builder = ReportBuilder(rows, settings, mode: "goals")
        for judge in judges where session.crashes[judge.info.id] == nil { builder.add(judge) }
        builder.add(session.crashFindings)
        builder.report.notes += session.crashes.values.map { "crashed: \($0)" }.sorted()
        if wanted.isEmpty { builder.report.notes.append("nothing that was selected has a goal") }
        report = builder.finish(seconds: session.progress.seconds)
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

    /// Creates the folder and saves the file. It keeps the durations of the actions of an application that the old file has, if that
    /// is of a machine of the same kind.
    static func save(_ file: BaselineFile, to path: String) throws {
        var file = file
        if file.liveProfiles.isEmpty, FileManager.default.fileExists(atPath: path) {
            let old = try BaselineFile.load(from: path)
            if old.fingerprint.match(file.fingerprint).isMatch { file.liveProfiles = old.liveProfiles }
        }
        let folder = URL(filePath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(.baseline, "could not make the folder \(folder)", cause: "\(error)")
        }
        try file.save(to: path)
    }
}
