// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// Compares this build with a baseline: a revision or a file.
struct Gate {
    let package: PackageFolder
    let settings: RunSettings
    let options: RunOptions
    private let progress = Progress()

    /// Measures and judges.
    func report(_ name: String, _ selected: [BenchmarkInfo]) throws -> Report {
        switch try BaselineReference.find(name, package) {
        case .revision(let sha, let name): return try revision(sha, name, selected)
        case .nothing(let reason): return nothing(name, reason, selected)
        case .file(let path, let note?) where options.strict: return nothing(path, note, selected)
        case .file(let path, let note):
            var report = try file(path, selected)
            report.notes += [note].compactMap(\.self)
            return report
        }
    }

    /// A report without a verdict, which is inconclusive.
    private func nothing(_ name: String, _ reason: String, _ selected: [BenchmarkInfo]) -> Report {
        var builder = ReportBuilder(selected, settings, mode: "revision")
        builder.report.baseline = name == BaselineReference.automatic ? "the default branch" : name
        builder.report.notes.append(reason)
        return builder.finish(seconds: 0)
    }

    private func revision(_ sha: String, _ name: String, _ selected: [BenchmarkInfo]) throws -> Report {
        let builds = try builds(sha, name, selected, settings)
        var builder = ReportBuilder(builds.selected, settings, mode: "revision")
        builder.report.baseline = "\(name) (\(sha.prefix(10)))"
        try duet(builds, settings, &builder)
        return builder.finish(seconds: progress.seconds)
    }

    /// The two programs of a comparison with a revision.
    private struct Builds {
        let old: MeasuredProgram
        let new: MeasuredProgram
        /// The benchmarks of the new one that were chosen.
        let selected: [BenchmarkInfo]
        let note: String?
        /// Held while they are measured.
        let lock: FolderLock
    }

    /// Builds the revision and, if times are judged, the working tree once more, both with aligned code. Without
    /// optimisation the place of code does not matter.
    private func builds(
        _ sha: String,
        _ name: String,
        _ selected: [BenchmarkInfo],
        _ settings: RunSettings
    ) throws -> Builds {
        let isAligned =
            !options.asBuilt && package.configuration == "release" && settings.judgesTimes(selected)
        let build = RevisionBuild(
            package: package,
            git: Git(folder: package.path),
            buildOptions: options.buildOptions,
            isAligned: isAligned
        )
        let lock = try build.lock()
        let old = try build.program(sha, named: name)
        guard isAligned else { return Builds(old: old, new: .current, selected: selected, note: nil, lock: lock) }
        StandardError.write("building the working tree with aligned code in \(package.cache)")
        let new = try build.workingTree()
        return Builds(
            old: old,
            new: new,
            selected: try options.selected(try new.list()),
            note: "both builds have aligned code; --as-built compares this program as it is",
            lock: lock
        )
    }

    /// Compares with another build, and reports benchmarks that only one of them has.
    private func duet(_ builds: Builds, _ settings: RunSettings, _ builder: inout ReportBuilder) throws {
        defer { withExtendedLifetime(builds.lock) {} }
        let selected = builds.selected
        let theirs = try builds.old.list()
        let wanted = (try? options.selected(theirs)) ?? []
        builder.addCoverage(baseline: wanted.map(\.id), current: selected.map(\.id))
        let known = Dictionary(theirs.map { ($0.id, $0.version) }) { first, _ in first }
        let shared = selected.filter { known[$0.id] == $0.version && $0.unmeasured == nil }
        let changed = selected.filter { info in known[info.id].map { $0 != info.version } ?? false }
        builder.add(changed.map { ComparisonFinding($0.id, .wall, .incomparable, "the benchmark does something else") })
        let session = try DuetSession(
            baseline: builds.old,
            current: builds.new,
            benchmarks: shared,
            settings: settings,
            progress: progress
        )
        builder.add(try session.findings())
        for benchmark in shared {
            builder.add(session.lints(benchmark), to: benchmark.id)
            for (metric, values) in session.samples[benchmark.id] ?? [:] { builder.add(benchmark.id, metric, values) }
        }
        builder.add(session.nullControls, minimumEffect: settings.minimumEffect)
        builder.report.notes += [builds.note].compactMap(\.self)
        builder.add(session)
    }

    private func file(_ path: String, _ selected: [BenchmarkInfo]) throws -> Report {
        let baseline = try BaselineFile.load(from: path)
        let upgrade = settings.judgesPairs(selected) ? reachable(baseline) : nil
        var builder = ReportBuilder(selected, settings, mode: upgrade == nil ? "file" : "revision")
        builder.report.baseline = path
        let wanted = baseline.benchmarks.map(\.id).filter(try options.matcher())
        if let upgrade {
            builder.report.notes.append("times are judged against \(upgrade.prefix(10)), the revision of \(path)")
        } else {
            builder.addCoverage(baseline: wanted, current: selected.filter { $0.unmeasured == nil }.map(\.id))
        }
        try counts(baseline, selected, &builder, judgesTimes: upgrade == nil)
        if let upgrade {
            var pairs = settings
            pairs.metrics.subtract(Metric.counts)
            try duet(try builds(upgrade, "the revision of \(path)", selected, pairs), pairs, &builder)
        }
        return builder.finish(seconds: progress.seconds)
    }

    /// The revision of which the file was recorded, if it can be measured again.
    private func reachable(_ baseline: BaselineFile) -> String? {
        guard !baseline.source.sha.isEmpty, !baseline.source.isDirty else { return nil }
        return Git(folder: package.path).revision(baseline.source.sha)
    }

    private func counts(
        _ baseline: BaselineFile,
        _ selected: [BenchmarkInfo],
        _ builder: inout ReportBuilder,
        judgesTimes: Bool
    ) throws {
        var alone = settings
        if !judgesTimes { alone.metrics.subtract([.wall, .cpu, .peakRSS]) }
        alone.metrics.subtract(Metric.counts.filter { !alone.counted().contains($0) })
        let known = Set(baseline.benchmarks.map(\.id))
        let shared = selected.filter { known.contains($0.id) && $0.unmeasured == nil }
        let session = SoloSession(shared, alone, progress)
        let records = session.records()
        let current = Recorder.file(records, name: "current", settings: settings, package: package)
        let counted = Set(alone.metrics.map(\.name)).subtracting(session.counter.reasons.keys.map(\.name))
        let comparison = FileComparison(
            baseline: baseline,
            current: current,
            alpha: settings.alpha,
            minimumEffect: settings.minimumEffect,
            judgesTimes: judgesTimes,
            metrics: counted
        )
        builder.add(try comparison.findings().filter { session.crashes[$0.benchmark] == nil })
        builder.add(session.crashFindings)
        builder.report.notes += shared.compactMap { info in info.uncounted.map { "not counted: \(info.id): \($0)" } }
        builder.add(records)
        builder.add(session)
    }
}
